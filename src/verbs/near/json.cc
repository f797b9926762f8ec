#include "refrain/report_json.h"

#include "base/json.h"
#include "refrain/version.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/option_rows.h"

namespace refrain {

std::string to_json(const NearOptions& options, const NearReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "near");
  json.field("fingerprint_version", fingerprint_version(options.fingerprint.tokenizer));
  json.key("options").begin_object();
  verbs::run::write_input(json, options.input);
  verbs::run::write_options(json, options);
  json.field("stop_words", options.fingerprint.stop_words.size()).end_object();
  verbs::run::write_read(json, report.read);
  json.field("too_short", report.too_short).field("distinct_fingerprints", report.distinct_fingerprints);
  if (options.verify) json.field("candidates", report.candidates);
  json.field("matches", report.matches).field("clusters", report.clusters);
  json.field("clustered_documents", report.clustered).field("largest_cluster", report.largest_cluster);
  json.field("largest_cluster_representative", report.largest_representative);
  json.key("run").begin_object().field("threads", report.threads).field("blocks", options.blocks);
  json.field("memory_bytes", report.memory_bytes).field("peak_rss_bytes", report.peak_rss_bytes);
  json.field("temp_peak_bytes", report.temp_peak_bytes).field("bytes_read", report.read.bytes);
  verbs::run::write_stages(json, report.stages);
  verbs::run::write_device(json, report.device);
  return verbs::run::end_report(std::move(json));
}

std::string to_json(const FingerprintReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "fingerprint");
  json.field("fingerprint_version", report.version);
  verbs::run::write_read(json, report.read);
  json.field("too_short", report.too_short);
  return verbs::run::end_report(std::move(json), report.read, report.seconds);
}

std::string to_json(const DeviceList& list) {
  JsonWriter json;
  json.begin_object().key("devices").begin_array();
  for (const DeviceInfo& device : list.devices) {
    json.begin_object().field("name", device.name).field("architecture", device.architecture);
    json.field("memory_bytes", device.memory_bytes).field("free_bytes", device.free_bytes).end_object();
  }
  json.end_array().field("missing", list.missing).end_object();
  return std::move(json).take();
}

std::string to_json(const MatchReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "match");
  json.field("stored", report.stored).field("queries", report.queries);
  json.field("matched", report.matched).field("added", report.added);
  json.key("run").begin_object();
  json.field("build_seconds", report.build_seconds).field("query_seconds", report.query_seconds);
  return verbs::run::end_report(std::move(json));
}

}  // namespace refrain
