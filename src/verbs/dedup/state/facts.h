// The fields of the reports of dedup. Markers keep them, so that a resumed run goes on with them (verbs/run/facts.h),
// and summary.json shows them under the same names and in this order.
#pragma once

#include "refrain/dedup.h"
#include "verbs/run/facts.h"
#include "verbs/run/json_parts.h"

namespace refrain {

namespace verbs::dedup {

bool uses_templates(const DedupOptions& options);
// Whether there are libraries to look into.
bool looks_up(const DedupOptions& options);
bool searches_against(const DedupOptions& options);
bool reads_overrides(const DedupOptions& options);
bool cuts_substrings(const DedupOptions& options);

}  // namespace verbs::dedup

void visit_fields(verbs::run::SameOrConst<StageCost> auto& cost, auto field) {
  field("stage", cost.stage);
  field("seconds", cost.seconds);
  field("bytes", cost.bytes);
  field("memory_bytes", cost.memory_bytes);
}

void visit_fields(verbs::run::SameOrConst<LossReport> auto& loss, auto field) {
  field("documents", loss.documents);
  field("tokens", loss.tokens);
  field("longest", loss.longest);
  field("median", loss.median);
  field("high", loss.high);
  field("in_details", loss.in_details);
  field("in_numbers", loss.in_numbers);
  field("in_negations", loss.in_negations);
  field("in_symbols", loss.in_symbols);
}

void visit_fields(verbs::run::SameOrConst<OwnTextReport> auto& own, auto field) {
  field("attachments", own.attachments);
  field("symbols", own.symbols);
  field("loss", own.loss);
  field("loss_median", own.loss_median);
  field("loss_longest", own.loss_longest);
}

void visit_fields(verbs::run::SameOrConst<TemplateReport> auto& templates, auto field) {
  field("sources", templates.sources);
  field("windows", templates.windows);
  field("documents", templates.documents);
  field("share", templates.share);
}

void visit_fields(verbs::run::SameOrConst<KnownReport> auto& known, auto field) {
  field("libraries", known.libraries);
  field("documents", known.documents);
  field("candidates", known.candidates);
  field("bytes_read", known.bytes_read);
  field("gone", known.gone);
  field("exact", known.exact);
  field("near", known.near);
  field("unverified", known.unverified);
  field("added", known.added);
}

void visit_fields(verbs::run::SameOrConst<MissedOverride> auto& missed, auto field) {
  field("seq", missed.seq);
  field("op", missed.op);
  field("id", missed.id);
  field("status", missed.status);
}

void visit_fields(verbs::run::SameOrConst<OverridesReport> auto& overrides, auto field) {
  field("decisions", overrides.decisions);
  field("applied", overrides.applied);
  field("stale", overrides.stale);
  field("not_found", overrides.not_found);
  field("kept", overrides.kept);
  field("removed", overrides.removed);
  field("missed", overrides.missed);
}

// Without `read`, which DedupRun keeps.
void visit_fields(verbs::run::SameOrConst<AgainstReport> auto& against, auto field) {
  field("items", against.items);
  field("found", against.found);
  field("documents", against.documents);
  field("too_short", against.too_short);
  field("too_short_items", against.too_short_items);
  field("common", against.common);
}

void visit_fields(verbs::run::SameOrConst<SelfCheck> auto& check, auto field) {
  field("sampled", check.sampled);
  field("missed", check.missed);
  field("recall", check.recall);
  field("recall_low", check.recall_low);
  field("recall_high", check.recall_high);
  field("removals", check.removals);
  field("below_threshold", check.below);
  field("below_threshold_high", check.below_high);
}

void visit_fields(verbs::run::SameOrConst<SourceLoss> auto& loss, auto field) {
  field("source", loss.source);
  field("documents", loss.documents);
  field("removed", loss.removed);
}

// A field with a condition is shown only if the options meet it. `read` and what summary.json has under "run" are not
// among the fields.
void visit_fields(verbs::run::SameOrConst<DedupReport> auto& report, auto field) {
  using namespace verbs::dedup;
  field("kept", report.kept);
  field("kept_bytes", report.kept_bytes);
  field("removed_exact", report.removed_exact);
  field("removed_near", report.removed_near);
  field("loss", report.loss);
  field("own_text", report.own_text);
  field("own_text_by", report.own_text_by);
  field("templates", report.templates, uses_templates);
  field("known", report.known, looks_up);
  field("overrides", report.overrides, reads_overrides);
  field("removed_against", report.removed_against);
  field("against", report.against, searches_against);
  field("removed_substring", report.removed_substring, cuts_substrings);
  field("ranges", report.ranges, cuts_substrings);
  field("repeated_bytes", report.repeated_bytes, cuts_substrings);
  field("cut_bytes", report.cut_bytes, cuts_substrings);
  field("cut_documents", report.cut_documents, cuts_substrings);
  field("too_short", report.too_short);
  field("unranked", report.unranked);
  field("unsourced", report.unsourced);
  field("shared_ids", report.shared_ids);
  field("bands", report.bands);
  field("rows", report.rows);
  field("candidates", report.candidates);
  field("compared", report.compared);
  field("matches", report.matches);
  field("rounds", report.rounds);
  field("clusters", report.clusters);
  field("clustered_documents", report.clustered);
  field("largest_cluster", report.largest_cluster);
  field("largest_cluster_representative", report.largest_representative);
  field("check", report.check);
  field("sources", report.sources);
  field("alarms", report.alarms);
}

}  // namespace refrain
