#include "refrain/report_json.h"

#include "base/json.h"
#include "verbs/run/json_parts.h"

namespace refrain {

namespace {

void field_or_null(JsonWriter& json, const char* name, bool there, const auto& value) {
  json.key(name);
  if (there)
    json.value(value);
  else
    json.null();
}

// Writes the fields of decisions.jsonl.
void write_decided(JsonWriter& json, const DecidedDocument& document) {
  json.field("id", document.id).field("keep", document.keep);
  field_or_null(json, "reason", !document.reason.empty(), document.reason);
  field_or_null(json, "match", !document.match.empty(), document.match);
  field_or_null(json, "similarity", !document.match.empty(), document.similarity);
  if (!document.known.empty()) json.field("known", document.known);
  if (!document.verified) json.field("verified", false);
  if (!document.unverified.empty()) json.field("unverified", document.unverified);
  if (document.reason == "near" || document.reason == "own_text")
    json.field("lost", document.lost).field("longest_lost", document.longest_lost);
  if (document.lost_attachments != 0) json.field("lost_attachments", document.lost_attachments);
  if (document.as_written < 1) json.field("as_written", document.as_written);
  json.key("spans").begin_array();
  for (const ByteRange& span : document.spans) json.begin_array().value(span.begin).value(span.end).end_array();
  json.end_array();
  field_or_null(json, "cluster", document.cluster.has_value(), document.cluster.value_or(0));
  if (!document.override_op.empty())
    json.key("override")
        .begin_object()
        .field("op", document.override_op)
        .field("seq", document.override_seq)
        .field("by", document.override_by)
        .end_object();
}

}  // namespace

std::string to_json(const ExplainReport& report, unsigned distance) {
  const bool judged = report.difference.has_value();
  JsonWriter json;
  verbs::run::begin_report(json, "explain");
  verbs::run::write_document(json, "a", report.a);
  verbs::run::write_document(json, "b", report.b);
  field_or_null(json, "difference", judged, report.difference.value_or(0));
  json.field("shared_windows", report.shared_windows).field("similarity", report.similarity);
  json.field("distance", distance);
  field_or_null(json, "match", judged, report.difference.value_or(0) <= distance);
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const StoryReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "explain");
  write_decided(json, report.document);
  json.field("same_id", report.same_id).field("threshold", report.threshold);
  json.field("cluster_size", report.cluster_size).field("cluster_kept", report.cluster_kept);
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
    verbs::run::write_document(json, "a", report.texts->a);
    verbs::run::write_document(json, "b", report.texts->b);
    json.field("shared_windows", report.texts->shared_windows);
    json.field("similarity", report.texts->similarity).end_object();
  } else {
    json.null();
  }
  if (report.mail) {
    json.key("differing_headers").begin_array();
    for (const DifferingHeader& header : report.headers)
      json.begin_object().field("name", header.name).field("a", header.a).field("b", header.b).end_object();
    json.end_array();
  }
  if (report.spanned) json.field("text", report.spanned->text);
  if (report.item) json.field("item", report.item->text);
  verbs::run::write_json(json.key("problems"), report.problems);
  json.end_object();
  return std::move(json).take();
}

}  // namespace refrain
