// The report of dedup as JSON: what its summary.json holds.
#include <utility>

#include "base/json.h"
#include "refrain/options.h"
#include "refrain/report_json.h"
#include "refrain/version.h"
#include "verbs/dedup/state/facts.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/option_rows.h"

namespace refrain {

namespace {

void write_estimate(JsonWriter& json, const DedupEstimate& estimate) {
  json.key("estimate").begin_object().field("known", estimate.known);
  if (estimate.known) {
    json.field("files", estimate.files).field("bytes", estimate.bytes);
    json.field("unpacked_bytes", estimate.unpacked_bytes).field("documents", estimate.documents);
    json.field("disk_bytes", estimate.disk_bytes).field("temp_bytes", estimate.temp_bytes);
  }
  json.field("memory_bytes", estimate.memory_bytes).field("disk_free_bytes", estimate.disk_free_bytes);
  json.field("temp_free_bytes", estimate.temp_free_bytes).end_object();
}

void write_against(JsonWriter& json, const AgainstReport& against) {
  json.begin_object();
  verbs::run::write_fields(json, against);
  json.field("bad_records", against.read.bad_records);
  verbs::run::write_skipped(json, against.read);
  verbs::run::write_unreadable(json, against.read);
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
  verbs::run::write_options(json, options);
  if (!options.against.empty()) {
    json.key("against").begin_object();
    verbs::run::write_input(json, options.against);
    json.end_object();
  }
  json.end_object();
  verbs::run::write_read(json, report.read);
  visit_fields(report, [&](std::string_view name, const auto& value, bool (*shown)(const DedupOptions&) = nullptr) {
    if (shown != nullptr && !shown(options)) return;
    json.key(name);
    if constexpr (requires { write_against(json, value); })
      write_against(json, value);
    else
      verbs::run::write_json(json, value);
  });
  json.key("run").begin_object();
  verbs::run::write_cost(json, report);
  write_estimate(json, report.estimate);
  json.field("bytes_read", report.read.bytes);
  if (options.apply) json.field("written_bytes", report.written_bytes);
  if (options.read_back) json.field("read_back", report.read_back);
  verbs::run::write_json(json.key("resumed"), report.resumed);
  verbs::run::write_stages(json, report.stages);
  verbs::run::write_device(json, report.device);
  return verbs::run::end_report(std::move(json));
}

}  // namespace refrain
