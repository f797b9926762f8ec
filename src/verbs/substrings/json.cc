#include "refrain/report_json.h"

#include "base/json.h"
#include "verbs/run/json_parts.h"

namespace refrain {

std::string to_json(const SubstringsOptions& options, const SubstringsReport& report) {
  static constexpr const char* kSnaps[] = {"none", "utf8", "word", "line"};
  JsonWriter json;
  verbs::run::begin_report(json, "substrings");
  json.key("options").begin_object();
  verbs::run::write_input(json, options.input);
  if (!options.text_csv.empty()) json.field("text_csv", options.text_csv).field("ids", options.ids);
  json.field("length", options.length);
  json.field("min_count", options.min_count);
  json.field("snap", kSnaps[static_cast<std::size_t>(options.snap)]);
  json.field("keep", options.keep == Keep::first ? "first" : "none");
  json.field("groups", options.groups);
  json.field("apply", options.apply);
  json.field("until_clean", options.until_clean);
  json.end_object();
  verbs::run::write_read(json, report.read);
  json.field("ranges", report.ranges);
  json.field("repeated_bytes", report.repeated_bytes);
  json.field("repeated_documents", report.repeated_documents);
  json.field("repeated_windows", report.windows);
  json.field("removable_bytes", report.removable_bytes);
  if (options.until_clean) {
    json.key("pass_bytes").begin_array();
    for (const std::uint64_t bytes : report.pass_bytes) json.value(bytes);
    json.end_array();
  }
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
  verbs::run::write_stages(json, report.stages);
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

}  // namespace refrain
