#include "refrain/report_json.h"

#include "base/json.h"
#include "pipeline/json_parts.h"
#include "refrain/version.h"

namespace refrain {

namespace {

// As decisions.jsonl tells it.
void write_decided(JsonWriter& json, const DecidedDocument& document) {
  json.field("id", document.id);
  json.field("keep", document.keep);
  const auto or_null = [&](const char* name, bool there, const auto& value) {
    json.key(name);
    if (there)
      json.value(value);
    else
      json.null();
  };
  or_null("reason", !document.keep, document.reason);
  or_null("match", !document.match.empty(), document.match);
  or_null("similarity", !document.match.empty(), document.similarity);
  json.key("spans").begin_array();
  for (const ByteRange& span : document.spans) json.begin_array().value(span.begin).value(span.end).end_array();
  json.end_array();
  or_null("cluster", document.cluster.has_value(), document.cluster.value_or(0));
}

void write_options(JsonWriter& json, const NearOptions& options) {
  const FingerprintOptions& fingerprint = options.fingerprint;
  json.key("options").begin_object();
  write_input(json, options.input);
  json.field("tokenizer", name_of(fingerprint.tokenizer));
  json.field("hash", hash_names()[static_cast<std::size_t>(fingerprint.hash)]);
  json.field("window", fingerprint.window);
  json.field("seed", fingerprint.seed);
  json.field("tie", fingerprint.tie_sets_bit ? 1 : 0);
  json.field("stop_words", fingerprint.stop_words.size());
  json.field("distance", options.distance);
  json.field("all_pairs", options.all_pairs);
  json.end_object();
}

// How an n-gram index was built, from the report or from what it left in summary.json.
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
  write_stages(json, report.stages);
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
  write_stages(json, report.stages);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const SubstringsOptions& options, const SubstringsReport& report) {
  static constexpr const char* kSnaps[] = {"none", "utf8", "word", "line"};
  JsonWriter json;
  begin_report(json, "substrings");
  json.key("options").begin_object();
  write_input(json, options.input);
  if (!options.text_csv.empty()) json.field("text_csv", options.text_csv).field("ids", options.ids);
  json.field("length", options.length);
  json.field("min_count", options.min_count);
  json.field("snap", kSnaps[static_cast<std::size_t>(options.snap)]);
  json.field("keep", options.keep == Keep::first ? "first" : "none");
  json.field("groups", options.groups);
  json.field("apply", options.apply);
  json.end_object();
  write_read(json, report.read);
  json.field("ranges", report.ranges);
  json.field("repeated_bytes", report.repeated_bytes);
  json.field("repeated_documents", report.repeated_documents);
  json.field("repeated_windows", report.windows);
  json.field("removable_bytes", report.removable_bytes);
  if (options.groups) json.field("passages", report.passages).field("places", report.places);
  if (options.apply)
    json.field("changed_documents", report.changed_documents).field("removed_bytes", report.removed_bytes);
  json.key("run").begin_object();
  json.field("threads", report.threads);
  json.field("memory_bytes", report.memory_bytes);
  json.field("peak_rss_bytes", report.peak_rss_bytes);
  json.field("temp_peak_bytes", report.temp_peak_bytes);
  json.field("bytes_read", report.read.bytes);
  json.field("samples", report.samples);
  write_stages(json, report.stages);
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

std::string to_json(const StoryReport& report) {
  JsonWriter json;
  begin_report(json, "explain");
  write_decided(json, report.document);
  json.field("same_id", report.same_id);
  json.field("threshold", report.threshold);
  json.field("cluster_size", report.cluster_size);
  json.field("cluster_kept", report.cluster_kept);
  json.key("members").begin_array();
  for (const DecidedDocument& member : report.members) {
    json.begin_object();
    write_decided(json, member);
    json.end_object();
  }
  json.end_array();
  json.field("removed_for_it", report.removed_for_it);
  json.key("texts");
  if (report.texts) {
    json.begin_object();
    write_document(json, "a", report.texts->a);
    write_document(json, "b", report.texts->b);
    json.field("shared_windows", report.texts->shared_windows);
    json.field("similarity", report.texts->similarity);
    json.end_object();
  } else {
    json.null();
  }
  if (report.spanned) json.field("text", report.spanned->text);
  if (report.item) json.field("item", report.item->text);
  write_strings(json, "problems", report.problems);
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const NgramsOptions& options, const NgramsReport& report) {
  JsonWriter json;
  begin_report(json, "ngrams build");
  json.key("options").begin_object();
  write_input(json, options.input);
  json.field("tokenizer", name_of(options.tokenizer));
  json.field("n", options.n);
  json.field("m", options.m);
  json.end_object();
  write_read(json, report.read);
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
  begin_report(json, "ngrams show");
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
  begin_report(json, "ngrams lookup");
  json.field("phrases", report.phrases);
  json.field("found", report.found);
  write_strings(json, "missing", report.missing);
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
  begin_report(json, "ngrams stats");
  json.field("n", stats.n);
  json.field("m", stats.m);
  json.field("tokenizer", name_of(stats.tokenizer));
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
  begin_report(json, "ngrams check");
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
