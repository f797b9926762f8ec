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

void write_change(JsonWriter& json, const ChangingOptions& change) {
  json.key("change").begin_object();
  if (change.threshold) json.field("threshold", *change.threshold);
  if (change.max_loss == kAnyLoss)
    json.field("max_loss", "any");
  else if (change.max_loss)
    json.field("max_loss", *change.max_loss);
  json.end_object();
}

void write_removal(JsonWriter& json, const char* name, const ExplainedRemoval& decided) {
  json.key(name).begin_object().field("removed", decided.removed);
  json.field("lost", decided.lost).field("longest_lost", decided.longest_lost);
  if (decided.lost_attachments != 0) json.field("lost_attachments", decided.lost_attachments);
  if (decided.as_written < 1) json.field("as_written", decided.as_written);
  if (!decided.differs_in.empty()) json.field("differs_in", decided.differs_in);
  write_change(json, decided.change);
  json.end_object();
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
  if (!document.differs_in.empty()) json.field("differs_in", document.differs_in);
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

std::string to_json(const ExplainOptions& options, const ExplainReport& report) {
  const bool judged = report.difference.has_value();
  JsonWriter json;
  verbs::run::begin_report(json, "explain");
  verbs::run::write_document(json, "a", report.a);
  verbs::run::write_document(json, "b", report.b);
  field_or_null(json, "difference", judged, report.difference.value_or(0));
  json.field("shared_windows", report.shared_windows).field("similarity", report.similarity);
  json.field("distance", options.distance);
  field_or_null(json, "match", judged, report.near);
  json.key("verified").begin_object();
  json.field("distance", options.verified_distance).field("threshold", options.threshold);
  field_or_null(json, "match", judged, report.near_verified);
  json.end_object();
  const ExplainedMatch& dedup = report.dedup;
  json.key("dedup").begin_object().field("window", dedup.window).field("threshold", dedup.threshold);
  field_or_null(json, "similarity", dedup.similarity.has_value(), dedup.similarity.value_or(0));
  json.field("match", dedup.is_match());
  write_change(json, dedup.change);
  if (dedup.is_match() && dedup.similarity) {
    write_removal(json, "b_for_a", dedup.b_for_a);
    write_removal(json, "a_for_b", dedup.a_for_b);
  }
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

std::string to_json(const StoryReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "explain");
  write_decided(json, report.document);
  write_change(json, report.change);
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
