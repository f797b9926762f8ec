#include "refrain/report_json.h"

#include "base/json.h"
#include "refrain/version.h"

namespace refrain {

namespace {

void write_options(JsonWriter& json, const NearOptions& options) {
  const FingerprintOptions& fingerprint = options.fingerprint;
  json.key("options").begin_object();
  json.key("input").begin_array();
  for (const std::string& path : options.input.paths) json.value(path);
  json.end_array();
  static constexpr const char* kFormats[] = {"auto", "files", "lines", "jsonl", "csv", "tsv"};
  json.field("format", kFormats[static_cast<std::size_t>(options.input.format)]);
  json.field("text_field", options.input.text_field);
  json.field("id_field", options.input.id_field);
  json.field("max_doc_bytes", options.input.max_doc_bytes);
  json.field("binary", options.input.binary);
  json.field("tokenizer", tokenizer_names()[static_cast<std::size_t>(fingerprint.tokenizer)]);
  json.field("hash", hash_names()[static_cast<std::size_t>(fingerprint.hash)]);
  json.field("window", fingerprint.window);
  json.field("seed", fingerprint.seed);
  json.field("tie", fingerprint.tie_sets_bit ? 1 : 0);
  json.field("stop_words", fingerprint.stop_words.size());
  json.field("distance", options.distance);
  json.field("all_pairs", options.all_pairs);
  json.end_object();
}

void write_read(JsonWriter& json, const ReadReport& read) {
  json.field("files", read.files);
  json.field("documents", read.documents);
  json.field("text_bytes", read.text_bytes);
  json.field("bad_records", read.bad_records);
  json.field("hidden_skipped", read.hidden_skipped);
  json.field("binary_skipped", read.binary_skipped);
  json.field("special_skipped", read.special_skipped);
  json.key("bad_record_examples").begin_array();
  for (const BadRecord& bad : read.examples) {
    json.begin_object().field("path", bad.path).field("line", bad.line).field("reason", bad.reason).end_object();
  }
  json.end_array();
}

void write_document(JsonWriter& json, const char* name, const ExplainedDocument& document) {
  json.key(name).begin_object();
  json.field("id", document.id);
  json.field("text", document.text);
  json.field("tokens", document.tokens);
  json.field("windows", document.windows);
  json.key("fingerprint");
  if (document.fingerprint)
    json.value(std::to_string(*document.fingerprint));
  else
    json.null();
  json.key("shared").begin_array();
  for (const ByteRange& range : document.shared) json.begin_array().value(range.begin).value(range.end).end_array();
  json.end_array();
  json.end_object();
}

void begin_report(JsonWriter& json, const char* verb) {
  json.begin_object();
  json.field("verb", verb);
  json.field("version", kVersion);
}

}  // namespace

std::string to_json(const NearOptions& options, const NearReport& report) {
  JsonWriter json;
  begin_report(json, "near");
  json.field("fingerprint_version", kFingerprintVersion);
  write_options(json, options);
  write_read(json, report.read);
  json.field("too_short", report.too_short);
  json.field("distinct_fingerprints", report.distinct_fingerprints);
  json.field("matches", report.matches);
  json.field("clusters", report.clusters);
  json.field("clustered_documents", report.clustered);
  json.field("largest_cluster", report.largest_cluster);
  json.field("largest_cluster_representative", report.largest_representative);
  json.key("run").begin_object();
  json.field("threads", report.threads);
  json.field("blocks", options.blocks);
  json.field("memory_bytes", report.memory_bytes);
  json.field("peak_rss_bytes", report.peak_rss_bytes);
  json.field("bytes_read", report.read.bytes);
  json.key("stages").begin_array();
  for (const StageCost& stage : report.stages) {
    json.begin_object()
        .field("stage", stage.stage)
        .field("seconds", stage.seconds)
        .field("bytes", stage.bytes)
        .end_object();
  }
  json.end_array();
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const FingerprintReport& report) {
  JsonWriter json;
  begin_report(json, "fingerprint");
  json.field("fingerprint_version", kFingerprintVersion);
  write_read(json, report.read);
  json.field("too_short", report.too_short);
  json.key("run").begin_object();
  json.field("bytes_read", report.read.bytes);
  json.field("seconds", report.seconds);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const MatchReport& report) {
  JsonWriter json;
  begin_report(json, "match");
  json.field("stored", report.stored);
  json.field("queries", report.queries);
  json.field("matched", report.matched);
  json.field("added", report.added);
  json.key("run").begin_object();
  json.field("build_seconds", report.build_seconds);
  json.field("query_seconds", report.query_seconds);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const ExplainReport& report, unsigned distance) {
  JsonWriter json;
  begin_report(json, "explain");
  write_document(json, "a", report.a);
  write_document(json, "b", report.b);
  json.key("difference");
  if (report.difference)
    json.value(*report.difference);
  else
    json.null();
  json.field("shared_windows", report.shared_windows);
  json.field("similarity", report.similarity);
  json.field("distance", distance);
  json.key("match");
  if (report.difference)
    json.value(*report.difference <= distance);
  else
    json.null();
  json.end_object();
  return std::move(json).take();
}

}  // namespace refrain
