// Writes the reports on a library as JSON.
#include <fmt/format.h>

#include "base/json.h"
#include "refrain/library.h"
#include "refrain/report_json.h"
#include "verbs/run/json_parts.h"

namespace refrain {

std::string to_json(const LibraryStats& stats) {
  JsonWriter json;
  verbs::run::begin_report(json, "library stats");
  json.key("rules").begin_object();
  for (const LibraryRule& rule : stats.rules) json.field(rule.name, rule.value);
  json.end_object();
  json.field("lanes", stats.lanes).field("bands", stats.bands).field("rows", stats.rows);
  json.field("generation", stats.generation).field("documents", stats.documents).field("removed", stats.removed);
  json.field("text_bytes", stats.text_bytes).field("keys", stats.keys).field("segments", stats.segments);
  json.field("documents_bytes", stats.documents_bytes).field("ids_bytes", stats.ids_bytes);
  json.field("names_bytes", stats.names_bytes).field("keys_bytes", stats.keys_bytes);
  json.field("filter_bytes", stats.filter_bytes).field("other_bytes", stats.other_bytes);
  json.field("texts_bytes", stats.texts_bytes).field("waiting_documents", stats.waiting_documents).end_object();
  return std::move(json).take();
}

std::string to_json(const LibraryWriteReport& report, std::string_view verb) {
  JsonWriter json;
  verbs::run::begin_report(json, verb);
  json.field("generation", report.generation).field("documents", report.documents).field("removed", report.removed);
  verbs::run::write_json(json.key("unknown_ids"), report.unknown_ids);
  verbs::run::write_json(json.key("unknown_sources"), report.unknown_sources);
  json.field("segments", report.segments).field("merged_segments", report.merged_segments);
  json.field("library_bytes", report.library_bytes).key("run").begin_object();
  json.field("memory_bytes", report.memory_bytes).field("peak_rss_bytes", report.peak_rss_bytes);
  json.field("seconds", report.seconds);
  return verbs::run::end_report(std::move(json));
}

std::string to_json(const LibraryCheckReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "library check");
  json.field("whole", report.damages.empty());  // repairing drops what is damaged
  verbs::run::write_json(json.key("damages"), report.damages);
  json.field("repaired", report.repaired).field("dropped", report.dropped).field("segments", report.segments);
  json.field("documents", report.documents).field("keys", report.keys).field("bytes", report.bytes);
  return verbs::run::end_report(std::move(json), report.seconds);
}

std::string to_json(const LibraryExportReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "library export");
  json.field("generation", report.generation).field("documents", report.documents);
  return verbs::run::end_report(std::move(json), report.seconds);
}

std::string to_json(const LibraryDocument& row) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? std::string("null") : json_text(text);
  };
  return fmt::format(
      "{{\"id\": {}, \"digest\": \"{:016x}{:016x}\", \"source\": {}, \"origin\": {}, \"file\": {}, \"begin\": {}, "
      "\"bytes\": {}, \"text_bytes\": {}}}\n",
      json_text(row.id), row.digest.high, row.digest.low, json_text(row.source), text_or_null(row.origin),
      text_or_null(row.file), row.begin, row.bytes, row.text_bytes);
}

}  // namespace refrain
