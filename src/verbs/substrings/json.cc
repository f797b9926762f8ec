#include "refrain/report_json.h"

#include "base/json.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/option_rows.h"

namespace refrain {

std::string to_json(const SubstringsOptions& options, const SubstringsReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "substrings");
  json.key("options").begin_object();
  verbs::run::write_input(json, options.input);
  verbs::run::write_options(json, options);
  json.end_object();
  verbs::run::write_read(json, report.read);
  json.field("ranges", report.ranges).field("repeated_bytes", report.repeated_bytes);
  json.field("repeated_documents", report.repeated_documents).field("repeated_windows", report.windows);
  json.field("removable_bytes", report.removable_bytes);
  if (options.until_clean) verbs::run::write_json(json.key("pass_bytes"), report.pass_bytes);
  if (options.groups) json.field("passages", report.passages).field("places", report.places);
  if (options.apply)
    json.field("changed_documents", report.changed_documents).field("removed_bytes", report.removed_bytes);
  json.key("run").begin_object();
  verbs::run::write_cost(json, report);
  json.field("bytes_read", report.read.bytes).field("samples", report.samples);
  verbs::run::write_stages(json, report.stages);
  return verbs::run::end_report(std::move(json));
}

}  // namespace refrain
