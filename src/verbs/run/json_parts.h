// Parts of JSON reports that several verbs share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "refrain/context.h"
#include "refrain/device.h"
#include "refrain/explain.h"
#include "refrain/fingerprint.h"
#include "refrain/input.h"
#include "verbs/run/facts.h"

namespace refrain {

// The fields of a report on reading, for markers (verbs/run/facts.h) and JSON.
void visit_fields(verbs::run::SameOrConst<BadRecord> auto& record, auto field) {
  field("path", record.path);
  field("line", record.line);
  field("reason", record.reason);
}
void visit_fields(verbs::run::SameOrConst<SkippedKind> auto& kind, auto field) {
  field("kind", kind.kind);
  field("files", kind.files);
  field("examples", kind.examples);
}
void visit_fields(verbs::run::SameOrConst<RecodedFiles> auto& files, auto field) {
  field("charset", files.charset);
  field("files", files.files);
}
void visit_fields(verbs::run::SameOrConst<ReadReport> auto& read, auto field) {
  field("bytes_read", read.bytes);  // a JSON report has this under "run"
  field("files", read.files);
  field("documents", read.documents);
  field("text_bytes", read.text_bytes);
  field("bad_records", read.bad_records);
  field("skipped_kinds", read.skipped);
  field("hidden_skipped", read.hidden_skipped);
  field("binary_skipped", read.binary_skipped);
  field("special_skipped", read.special_skipped);
  field("pages", read.pages);
  field("mails", read.mails);
  field("manual_pages", read.manual_pages);
  field("recoded", read.recoded);
  field("recoded_from", read.recoded_from);
  field("replaced", read.replaced);
  field("surrogates", read.surrogates);
  field("other_skipped", read.other_skipped);
  field("bad_record_examples", read.examples);
  field("unreadable", read.unreadable);
}

}  // namespace refrain

namespace refrain::verbs::run {

// In the order of HtmlPart and ComparedMail.
inline constexpr std::string_view kHtmlNames[] = {"main", "text", "raw"};
inline constexpr std::string_view kCompareNames[] = {"body", "headers"};

std::string_view name_of(TokenizerKind tokenizer);

// Opens the object and writes the verb and the version.
void begin_report(JsonWriter& json, std::string_view verb);
// Closes the object "run" and the report, and returns the text.
std::string end_report(JsonWriter json);
// The same for a report that has nothing but its time in "run", or also the bytes of its input.
std::string end_report(JsonWriter json, double seconds);
std::string end_report(JsonWriter json, const ReadReport& read, double seconds);

// Writes a struct with visit_fields() (verbs/run/facts.h): its fields, or a whole object; or a number, text or list.
template <class T>
void write_json(JsonWriter& json, const T& value);
template <class T>
void write_fields(JsonWriter& json, const T& of) {
  visit_fields(of, [&](std::string_view name, const auto& value) { write_json(json.key(name), value); });
}
template <class T>
void write_json(JsonWriter& json, const T& value) {
  if constexpr (requires { json.value(value); }) {
    json.value(value);
  } else if constexpr (requires { value.begin(); }) {
    json.begin_array();
    for (const auto& one : value) write_json(json, one);
    json.end_array();
  } else {
    write_fields(json.begin_object(), value);
    json.end_object();
  }
}

void write_stages(JsonWriter& json, const std::vector<StageCost>& stages);
// Writes the threads, memory and temporary space that a run took.
template <class Report>
void write_cost(JsonWriter& json, const Report& report) {
  json.field("threads", report.threads);
  json.field("memory_bytes", report.memory_bytes).field("peak_rss_bytes", report.peak_rss_bytes);
  json.field("temp_peak_bytes", report.temp_peak_bytes);
}
// Writes what the GPU did. Writes nothing if none was used and none failed.
void write_device(JsonWriter& json, const DeviceReport& device);
void write_input(JsonWriter& json, const InputOptions& input);
void write_read(JsonWriter& json, const ReadReport& read);
// The number of skipped files, and their kinds with examples.
void write_skipped(JsonWriter& json, const ReadReport& read);
// The files that could not be read. Writes nothing if there are none.
void write_unreadable(JsonWriter& json, const ReadReport& read);
// A document, with what it shares with another one.
void write_document(JsonWriter& json, const char* name, const ExplainedDocument& document);

}  // namespace refrain::verbs::run
