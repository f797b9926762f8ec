#include "refrain/report_json.h"

#include "base/json.h"
#include "verbs/ngrams/index.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/option_rows.h"

namespace refrain {

namespace {

// Writes how an n-gram index was built, from the report or from what summary.json recorded.
template <class Report>
void write_build(JsonWriter& json, const Report& report, std::string_view algorithm) {
  json.field("algorithm", algorithm);
  verbs::ngrams::visit_build(report, [&](const char* name, const auto& value) { json.field(name, value); });
  verbs::run::write_stages(json, report.stages);
}

// Writes the sizes of the files of an n-gram index.
template <class Report>
void write_sizes(JsonWriter& json, const Report& report) {
  json.field("grams_bytes", report.grams_bytes).field("places_bytes", report.places_bytes);
  json.field("documents_bytes", report.documents_bytes);
}

}  // namespace

std::string to_json(const NgramsOptions& options, const NgramsReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams build");
  json.key("options").begin_object();
  verbs::run::write_input(json, options.input);
  verbs::run::write_options(json, options);
  json.end_object();
  verbs::run::write_read(json, report.read);
  json.field("tokens", report.tokens).field("grams", report.grams);
  json.field("entries", report.entries).field("places", report.places);
  write_sizes(json, report);
  json.key("run").begin_object();
  write_build(json, report, ngram_algorithm_names()[static_cast<std::size_t>(report.algorithm)]);
  json.field("bytes_read", report.read.bytes);
  return verbs::run::end_report(std::move(json));
}

std::string to_json(const NgramsShowReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams show");
  json.field("entries", report.entries).field("rows", report.rows);
  return verbs::run::end_report(std::move(json), report.seconds);
}

std::string to_json(const NgramsLookupReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams lookup");
  json.field("phrases", report.phrases).field("found", report.found);
  verbs::run::write_json(json.key("missing"), report.missing);
  json.key("run").begin_object();
  json.field("open_seconds", report.open_seconds).field("lookup_seconds", report.lookup_seconds);
  return verbs::run::end_report(std::move(json));
}

std::string to_json(const NgramsStats& stats) {
  const auto percent = [&](std::uint64_t part) {
    return stats.grams == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(stats.grams);
  };
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams stats");
  json.field("n", stats.n).field("m", stats.m).field("tokenizer", verbs::run::name_of(stats.tokenizer));
  json.field("documents", stats.documents).field("tokens", stats.tokens).field("grams", stats.grams);
  json.field("single", stats.single).field("multi", stats.multi).field("repeat", stats.repeat);
  json.field("single_percent", percent(stats.single)).field("multi_percent", percent(stats.multi));
  json.field("repeat_percent", percent(stats.repeat));
  write_sizes(json, stats);
  json.key("run").begin_object();
  write_build(json, stats, stats.algorithm);
  return verbs::run::end_report(std::move(json));
}

std::string to_json(const NgramsCheckReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams check");
  json.field("whole", true).field("documents", report.documents).field("entries", report.entries);
  json.field("places", report.places).field("bytes", report.bytes);
  return verbs::run::end_report(std::move(json), report.seconds);
}

}  // namespace refrain
