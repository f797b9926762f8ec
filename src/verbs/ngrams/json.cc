#include "refrain/report_json.h"

#include "base/json.h"
#include "verbs/run/json_parts.h"

namespace refrain {

namespace {

// Writes how an n-gram index was built, from the report or from what summary.json recorded.
template <class Report>
void write_build(JsonWriter& json, const Report& report, std::string_view algorithm) {
  json.field("algorithm", algorithm);
  json.field("passes", report.passes);
  json.field("f1_bytes", report.file_bytes[0]);
  json.field("f2_bytes", report.file_bytes[1]);
  json.field("f3_bytes", report.file_bytes[2]);
  json.field("sequence_bytes", report.sequence_bytes);
  json.field("temp_peak_bytes", report.temp_peak_bytes);
  json.field("threads", report.threads);
  json.field("memory_bytes", report.memory_bytes);
  json.field("peak_rss_bytes", report.peak_rss_bytes);
  json.field("seconds", report.seconds);
  verbs::run::write_stages(json, report.stages);
}

}  // namespace

std::string to_json(const NgramsOptions& options, const NgramsReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams build");
  json.key("options").begin_object();
  verbs::run::write_input(json, options.input);
  json.field("tokenizer", verbs::run::name_of(options.tokenizer));
  json.field("n", options.n);
  json.field("m", options.m);
  json.end_object();
  verbs::run::write_read(json, report.read);
  json.field("tokens", report.tokens);
  json.field("grams", report.grams);
  json.field("entries", report.entries);
  json.field("places", report.places);
  json.field("grams_bytes", report.grams_bytes);
  json.field("places_bytes", report.places_bytes);
  json.field("documents_bytes", report.documents_bytes);
  json.key("run").begin_object();
  write_build(json, report, ngram_algorithm_names()[static_cast<std::size_t>(report.algorithm)]);
  json.field("bytes_read", report.read.bytes);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const NgramsShowReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams show");
  json.field("entries", report.entries);
  json.field("rows", report.rows);
  json.key("run").begin_object();
  json.field("seconds", report.seconds);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const NgramsLookupReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams lookup");
  json.field("phrases", report.phrases);
  json.field("found", report.found);
  verbs::run::write_strings(json, "missing", report.missing);
  json.key("run").begin_object();
  json.field("open_seconds", report.open_seconds);
  json.field("lookup_seconds", report.lookup_seconds);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const NgramsStats& stats) {
  const auto percent = [&](std::uint64_t part) {
    return stats.grams == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(stats.grams);
  };
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams stats");
  json.field("n", stats.n);
  json.field("m", stats.m);
  json.field("tokenizer", verbs::run::name_of(stats.tokenizer));
  json.field("documents", stats.documents);
  json.field("tokens", stats.tokens);
  json.field("grams", stats.grams);
  json.field("single", stats.single);
  json.field("multi", stats.multi);
  json.field("repeat", stats.repeat);
  json.field("single_percent", percent(stats.single));
  json.field("multi_percent", percent(stats.multi));
  json.field("repeat_percent", percent(stats.repeat));
  json.field("grams_bytes", stats.grams_bytes);
  json.field("places_bytes", stats.places_bytes);
  json.field("documents_bytes", stats.documents_bytes);
  json.key("run").begin_object();
  write_build(json, stats, stats.algorithm);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const NgramsCheckReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "ngrams check");
  json.field("whole", true);
  json.field("documents", report.documents);
  json.field("entries", report.entries);
  json.field("places", report.places);
  json.field("bytes", report.bytes);
  json.key("run").begin_object();
  json.field("seconds", report.seconds);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

}  // namespace refrain
