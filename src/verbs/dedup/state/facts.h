// The facts that each stage of a dedup run finds and keeps in its marker (verbs/run/facts.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"
#include "verbs/run/facts.h"

namespace refrain::verbs::dedup {

// The cost of the stages so far. Every stage replaces it.
struct CostFacts {
  static constexpr std::string_view kName = "cost";
  std::vector<StageCost> stages;
  static void fields(auto& facts, auto field) { field("stages", facts.stages); }
};

struct ReadFacts {
  static constexpr std::string_view kName = "read";
  ReadReport report;
  std::uint64_t documents = 0;  // bad ones included: the number of values in a column
  std::uint64_t too_short = 0;
  std::uint64_t unranked = 0;
  std::uint64_t unsourced = 0;
  std::uint64_t sources = 0;
  std::string absent_sources;
  std::uint64_t shared_ids = 0;
  std::string shared_id;
  static void fields(auto& facts, auto field) {
    field("report", facts.report);
    field("documents", facts.documents);
    field("too_short", facts.too_short);
    field("unranked", facts.unranked);
    field("unsourced", facts.unsourced);
    field("sources", facts.sources);
    field("absent_sources", facts.absent_sources);
    field("shared_ids", facts.shared_ids);
    field("shared_id", facts.shared_id);
  }
};

struct ExactFacts {
  static constexpr std::string_view kName = "exact";
  std::uint64_t copies = 0;
  static void fields(auto& facts, auto field) { field("copies", facts.copies); }
};

struct TemplateFacts {
  static constexpr std::string_view kName = "templates";
  TemplateReport report;
  static void fields(auto& facts, auto field) { field("report", facts.report); }
};

struct KnownFacts {
  static constexpr std::string_view kName = "known";
  KnownReport report;
  std::string library;  // state of the growing library when it was looked into; empty: there was none
  std::string run;      // the name of this run in the library
  static void fields(auto& facts, auto field) {
    field("report", facts.report);
    field("library", facts.library);
    field("run", facts.run);
  }
};

// Written by the stage `library`.
struct LibraryFacts {
  static constexpr std::string_view kName = "library";
  std::uint64_t added = 0;
  static void fields(auto& facts, auto field) { field("added", facts.added); }
};

struct AgainstFacts {
  static constexpr std::string_view kName = "against";
  AgainstReport report;
  static void fields(auto& facts, auto field) { field("report", facts.report); }
};

struct VerifyFacts {
  static constexpr std::string_view kName = "verify";
  std::uint64_t candidates = 0;
  std::uint64_t compared = 0;
  std::uint64_t matches = 0;
  std::uint64_t rounds = 0;
  static void fields(auto& facts, auto field) {
    field("candidates", facts.candidates);
    field("compared", facts.compared);
    field("matches", facts.matches);
    field("rounds", facts.rounds);
  }
};

// The rows of matches.tsv: pairs of similar documents, and every exact copy with the first document of its text.
inline std::uint64_t match_rows(const run::Facts& facts) {
  return facts.get<VerifyFacts>().matches + facts.get<ExactFacts>().copies;
}

struct ClusterFacts {
  static constexpr std::string_view kName = "cluster";
  std::uint64_t clusters = 0;
  std::uint64_t clustered = 0;
  std::uint64_t largest = 0;           // number of its documents
  std::uint64_t largest_document = 0;  // the first of them
  static void fields(auto& facts, auto field) {
    field("clusters", facts.clusters);
    field("clustered", facts.clustered);
    field("largest", facts.largest);
    field("largest_document", facts.largest_document);
  }
};

struct DecideFacts {
  static constexpr std::string_view kName = "decide";
  std::uint64_t near = 0;
  std::uint64_t exact = 0;
  std::uint64_t against = 0;
  std::uint64_t own_text = 0;
  LossReport loss;
  static void fields(auto& facts, auto field) {
    field("near", facts.near);
    field("exact", facts.exact);
    field("against", facts.against);
    field("own_text", facts.own_text);
    field("loss", facts.loss);
  }
};

// Written by `decide`, and again by `substrings`, after which sources may have lost more.
struct AlarmFacts {
  static constexpr std::string_view kName = "alarms";
  std::vector<SourceLoss> sources;
  static void fields(auto& facts, auto field) { field("sources", facts.sources); }
};

struct CheckFacts {
  static constexpr std::string_view kName = "check";
  SelfCheck check;
  static void fields(auto& facts, auto field) { field("check", facts.check); }
};

struct SubstringFacts {
  static constexpr std::string_view kName = "substrings";
  std::uint64_t ranges = 0;
  std::uint64_t repeated_bytes = 0;
  std::uint64_t removed_bytes = 0;
  std::uint64_t changed = 0;
  std::uint64_t emptied = 0;
  std::uint64_t emptied_own_text = 0;  // of these: were kept for their own text
  static void fields(auto& facts, auto field) {
    field("ranges", facts.ranges);
    field("repeated_bytes", facts.repeated_bytes);
    field("removed_bytes", facts.removed_bytes);
    field("changed", facts.changed);
    field("emptied", facts.emptied);
    field("emptied_own_text", facts.emptied_own_text);
  }
};

struct ApplyFacts {
  static constexpr std::string_view kName = "apply";
  std::uint64_t written_bytes = 0;
  static void fields(auto& facts, auto field) { field("written_bytes", facts.written_bytes); }
};

struct ReadBackFacts {
  static constexpr std::string_view kName = "read-back";
  std::uint64_t documents = 0;
  static void fields(auto& facts, auto field) { field("documents", facts.documents); }
};

struct ReportFacts {
  static constexpr std::string_view kName = "report";
  std::uint64_t kept_bytes = 0;
  static void fields(auto& facts, auto field) { field("kept_bytes", facts.kept_bytes); }
};

}  // namespace refrain::verbs::dedup

namespace refrain::verbs::run {

template <>
struct FieldsOf<StageCost> {
  static void visit(auto& cost, auto field) {
    field("stage", cost.stage);
    field("seconds", cost.seconds);
    field("bytes", cost.bytes);
    field("memory_bytes", cost.memory_bytes);
  }
};

template <>
struct FieldsOf<BadRecord> {
  static void visit(auto& record, auto field) {
    field("path", record.path);
    field("line", record.line);
    field("reason", record.reason);
  }
};

template <>
struct FieldsOf<SkippedKind> {
  static void visit(auto& kind, auto field) {
    field("kind", kind.kind);
    field("files", kind.files);
    field("examples", kind.examples);
  }
};

template <>
struct FieldsOf<RecodedFiles> {
  static void visit(auto& files, auto field) {
    field("charset", files.charset);
    field("files", files.files);
  }
};

template <>
struct FieldsOf<ReadReport> {
  static void visit(auto& read, auto field) {
    field("files", read.files);
    field("bytes", read.bytes);
    field("text_bytes", read.text_bytes);
    field("documents", read.documents);
    field("bad_records", read.bad_records);
    field("skipped", read.skipped);
    field("hidden_skipped", read.hidden_skipped);
    field("binary_skipped", read.binary_skipped);
    field("special_skipped", read.special_skipped);
    field("pages", read.pages);
    field("mails", read.mails);
    field("manual_pages", read.manual_pages);
    field("recoded", read.recoded);
    field("recoded_from", read.recoded_from);
    field("replaced", read.replaced);
    field("surrogates", read.surrogates);
    field("other_skipped", read.other_skipped);
    field("examples", read.examples);
    field("unreadable", read.unreadable);
  }
};

template <>
struct FieldsOf<TemplateReport> {
  static void visit(auto& report, auto field) {
    field("sources", report.sources);
    field("windows", report.windows);
    field("documents", report.documents);
    field("share", report.share);
  }
};

template <>
struct FieldsOf<KnownReport> {
  static void visit(auto& report, auto field) {
    field("libraries", report.libraries);
    field("documents", report.documents);
    field("candidates", report.candidates);
    field("bytes_read", report.bytes_read);
    field("gone", report.gone);
    field("exact", report.exact);
    field("near", report.near);
    field("unverified", report.unverified);
  }
};

template <>
struct FieldsOf<AgainstReport> {
  static void visit(auto& report, auto field) {
    field("read", report.read);
    field("items", report.items);
    field("found", report.found);
    field("too_short", report.too_short);
    field("too_short_items", report.too_short_items);
    field("common", report.common);
    field("documents", report.documents);
  }
};

template <>
struct FieldsOf<LossReport> {
  static void visit(auto& loss, auto field) {
    field("documents", loss.documents);
    field("tokens", loss.tokens);
    field("longest", loss.longest);
    field("median", loss.median);
    field("high", loss.high);
  }
};

template <>
struct FieldsOf<SourceLoss> {
  static void visit(auto& loss, auto field) {
    field("source", loss.source);
    field("documents", loss.documents);
    field("removed", loss.removed);
  }
};

template <>
struct FieldsOf<SelfCheck> {
  static void visit(auto& check, auto field) {
    field("sampled", check.sampled);
    field("missed", check.missed);
    field("removals", check.removals);
    field("below", check.below);
    field("recall", check.recall);
    field("recall_low", check.recall_low);
    field("recall_high", check.recall_high);
    field("below_high", check.below_high);
  }
};

}  // namespace refrain::verbs::run
