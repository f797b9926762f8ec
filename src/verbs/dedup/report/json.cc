// The report of dedup as JSON: what its summary.json holds.
#include <utility>

#include "base/json.h"
#include "refrain/options.h"
#include "refrain/report_json.h"
#include "refrain/version.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/option_rows.h"

namespace refrain {

namespace {

void write_estimate(JsonWriter& json, const DedupEstimate& estimate) {
  json.key("estimate").begin_object();
  json.field("known", estimate.known);
  if (estimate.known) {
    json.field("files", estimate.files);
    json.field("bytes", estimate.bytes);
    json.field("unpacked_bytes", estimate.unpacked_bytes);
    json.field("documents", estimate.documents);
    json.field("disk_bytes", estimate.disk_bytes);
    json.field("temp_bytes", estimate.temp_bytes);
  }
  json.field("memory_bytes", estimate.memory_bytes);
  json.field("disk_free_bytes", estimate.disk_free_bytes);
  json.field("temp_free_bytes", estimate.temp_free_bytes);
  json.end_object();
}

}  // namespace

std::string to_json(const DedupOptions& options, const DedupReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "dedup");
  json.field("fingerprint_version", fingerprint_version(options.windows.tokenizer));
  json.field("minhash_version", kMinHashVersion);
  json.key("options").begin_object();
  verbs::run::write_input(json, options.input);
  verbs::run::write_options(json, dedup_option_table(), options);
  if (!options.against.empty()) {
    json.key("against").begin_object();
    verbs::run::write_input(json, options.against);
    json.end_object();
  }
  json.end_object();
  verbs::run::write_read(json, report.read);
  json.field("kept", report.kept);
  json.field("kept_bytes", report.kept_bytes);
  json.field("removed_exact", report.removed_exact);
  json.field("removed_near", report.removed_near);
  json.key("loss").begin_object();
  json.field("documents", report.loss.documents);
  json.field("tokens", report.loss.tokens);
  json.field("longest", report.loss.longest);
  json.field("median", report.loss.median);
  json.field("high", report.loss.high);
  json.end_object();
  json.field("own_text", report.own_text);
  if (options.templates && options.near != NearMethod::off)
    json.key("templates")
        .begin_object()
        .field("sources", report.templates.sources)
        .field("windows", report.templates.windows)
        .field("documents", report.templates.documents)
        .field("share", report.templates.share)
        .end_object();
  if (!options.known.empty() || !options.library.empty())
    json.key("known")
        .begin_object()
        .field("libraries", report.known.libraries)
        .field("documents", report.known.documents)
        .field("candidates", report.known.candidates)
        .field("bytes_read", report.known.bytes_read)
        .field("gone", report.known.gone)
        .field("exact", report.known.exact)
        .field("near", report.known.near)
        .field("unverified", report.known.unverified)
        .field("added", report.known.added)
        .end_object();
  json.field("removed_against", report.removed_against);
  if (!options.against.empty()) {
    json.key("against").begin_object();
    json.field("items", report.against.items);
    json.field("found", report.against.found);
    json.field("documents", report.against.documents);
    json.field("too_short", report.against.too_short);
    verbs::run::write_strings(json, "too_short_items", report.against.too_short_items);
    json.field("common", report.against.common);
    json.field("bad_records", report.against.read.bad_records);
    verbs::run::write_skipped(json, report.against.read);
    verbs::run::write_unreadable(json, report.against.read);
    json.end_object();
  }
  if (options.substrings != 0) {
    json.field("removed_substring", report.removed_substring);
    json.field("ranges", report.ranges);
    json.field("repeated_bytes", report.repeated_bytes);
    json.field("cut_bytes", report.cut_bytes);
    json.field("cut_documents", report.cut_documents);
  }
  json.field("too_short", report.too_short);
  json.field("unranked", report.unranked);
  json.field("unsourced", report.unsourced);
  json.field("shared_ids", report.shared_ids);
  json.field("bands", report.bands);
  json.field("rows", report.rows);
  json.field("candidates", report.candidates);
  json.field("compared", report.compared);
  json.field("matches", report.matches);
  json.field("rounds", report.rounds);
  json.field("clusters", report.clusters);
  json.field("clustered_documents", report.clustered);
  json.field("largest_cluster", report.largest_cluster);
  json.field("largest_cluster_representative", report.largest_representative);
  json.key("check").begin_object();
  json.field("sampled", report.check.sampled);
  json.field("missed", report.check.missed);
  json.field("recall", report.check.recall);
  json.field("recall_low", report.check.recall_low);
  json.field("recall_high", report.check.recall_high);
  json.field("removals", report.check.removals);
  json.field("below_threshold", report.check.below);
  json.field("below_threshold_high", report.check.below_high);
  json.end_object();
  json.field("sources", report.sources);
  json.key("alarms").begin_array();
  for (const SourceLoss& loss : report.alarms)
    json.begin_object()
        .field("source", loss.source)
        .field("documents", loss.documents)
        .field("removed", loss.removed)
        .end_object();
  json.end_array();
  json.key("run").begin_object();
  json.field("threads", report.threads);
  json.field("memory_bytes", report.memory_bytes);
  json.field("peak_rss_bytes", report.peak_rss_bytes);
  json.field("temp_peak_bytes", report.temp_peak_bytes);
  write_estimate(json, report.estimate);
  json.field("bytes_read", report.read.bytes);
  if (options.apply) json.field("written_bytes", report.written_bytes);
  if (options.read_back) json.field("read_back", report.read_back);
  verbs::run::write_strings(json, "resumed", report.resumed);
  verbs::run::write_stages(json, report.stages);
  verbs::run::write_device(json, report.device);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

}  // namespace refrain
