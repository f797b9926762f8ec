#include "verbs/dedup/state/run.h"

#include <utility>

#include "base/threads.h"
#include "corpus/files/listing.h"
#include "verbs/dedup/state/known_documents.h"
#include "verbs/run/input_identity.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/skipped.h"

namespace refrain::verbs::dedup {

namespace {

std::uint64_t memory_of(const std::vector<Override>& lines) {
  std::uint64_t bytes = lines.size() * sizeof(Override);
  for (const Override& line : lines) {
    bytes += line.by.size() + line.at.size() + line.note.size() + line.place.size();
    for (const OverrideDocument& document : line.documents)
      bytes += sizeof(OverrideDocument) + (document.id ? document.id->size() : 0);
  }
  return bytes;
}

}  // namespace

std::optional<std::string> changed_input(const DedupOptions& options, const timespec& since) {
  std::optional<std::string> changed = run::changed_since(options.input, since);
  return changed ? changed : run::changed_since(options.against, since);
}

DedupRun::DedupRun(const Plan& plan_in, const Context& context_in)
    : plan(plan_in),
      options(plan.options),
      context(context_in),
      name(to_hex(digest(plan.identity))),
      near(plan.near.get()),
      threads(thread_count(context_in)),
      budget(context_in),
      listings{corpus::reserve_listing(options.input, budget), corpus::reserve_listing(options.against, budget)},
      people(budget.reserve(memory_of(plan.overrides), "the overrides")),
      temp(context_in),
      dir({.target = options.output,
           .verb = "dedup",
           .identity = plan.identity,
           .resume = options.resume,
           .force = options.force,
           .changed_input = [this](const timespec& since) { return changed_input(options, since); },
           .nameless = options.input.documents ? &temp : nullptr,
           .outputs = run::with_tables(
               {"decisions.jsonl", "matches.tsv", "clusters.tsv", "substring_bytes.tsv", "against.jsonl", "clean",
                "annotated", "attributes", "templates.bin", "library", "report.html", run::kSkippedName},
               {"decisions.parquet", "matches.parquet", "clusters.parquet"}, options.output,
               options.tables == Tables::parquet)},
          budget) {
  report.threads = threads;
  report.memory_bytes = budget.ceiling();
}

Ranks DedupRun::ranks() {
  const std::vector<DocId> first = overrides().survivors();
  if (options.keep.rank == Rank::first) return {budget, documents(), first};
  return {budget, run::load_column<std::uint64_t>(dir.work("keys"), budget, "the ranking of documents"), first};
}

const RunOverrides& DedupRun::overrides() {
  const std::lock_guard lock(mutex_);
  if (!overrides_)
    overrides_.emplace(plan.overrides, plan.overrides.empty() ? std::filesystem::path() : dir.work("overrides"),
                       budget);
  return *overrides_;
}

std::shared_ptr<const run::StripedFile> DedupRun::texts() {
  const std::lock_guard lock(mutex_);
  if (!texts_) texts_ = std::make_shared<const run::StripedFile>(dir, "text", budget);
  return texts_;
}

bool DedupRun::has_templates() const {
  return report.templates.windows != 0;
}

std::shared_ptr<const run::TemplateFile> DedupRun::templates() {
  if (!has_templates()) return nullptr;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const run::TemplateFile> opened = templates_.lock();
  if (!opened) templates_ = opened = std::make_shared<const run::TemplateFile>(dir.work("templates"), budget);
  return opened;
}

bool uses_templates(const DedupOptions& options) {
  return options.near != NearMethod::off && options.templates;
}

bool looks_up(const DedupOptions& options) {
  return !options.known.empty() || !options.library.empty();
}

bool searches_against(const DedupOptions& options) {
  return !options.against.empty();
}

bool reads_overrides(const DedupOptions& options) {
  return !options.overrides.empty();
}

bool cuts_substrings(const DedupOptions& options) {
  return options.substrings != 0;
}

bool updates_library(const DedupOptions& options) {
  return !options.forget && options.input.documents == nullptr && options.near != NearMethod::simhash;
}

std::shared_ptr<const KnownDocuments> DedupRun::known_documents() {
  if (!looks_up()) return nullptr;
  const std::lock_guard lock(mutex_);
  std::shared_ptr<const KnownDocuments> opened = known_.lock();
  if (!opened) known_ = opened = std::make_shared<const KnownDocuments>(dir, documents(), budget);
  return opened;
}

std::filesystem::path DedupRun::sketches(const std::string& column) {
  return dir.work(has_templates() ? column + kLeft : column);
}

void DedupRun::close_texts() {
  const std::lock_guard lock(mutex_);
  texts_.reset();
}

}  // namespace refrain::verbs::dedup

namespace refrain {

std::string_view reason_name(Reason reason) {
  static constexpr std::string_view kNames[] = {"none", "exact", "near", "substring", "against", "overridden"};
  return kNames[static_cast<std::size_t>(reason)];
}

}  // namespace refrain
