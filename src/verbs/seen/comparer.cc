#include "verbs/seen/comparer.h"

#include <algorithm>
#include <utility>

#include "corpus/formats/raw_text.h"
#include "verbs/known/old_texts.h"

namespace refrain::verbs::seen {

namespace {

constexpr const char* kCompared = "the documents that are compared";
constexpr std::uint64_t kComparerBytes = std::uint64_t{1} << 20;  // of buffers

}  // namespace

Comparer::Comparer(const known::SketchPlan& plan, bool trust_signatures, const Context& context, MemoryBudget& budget)
    : plan_(plan),
      proposer_(plan.layout.lanes, plan.rules.threshold),
      rules_{.threshold = plan.rules.threshold,
             .max_loss = plan.rules.max_loss,
             .near = plan.layout.lanes != 0,
             .trust_signatures = trust_signatures},
      context_(context),
      budget_(budget),
      memory_(budget.reserve(kComparerBytes, kCompared)),
      sketcher_(plan) {}

void Comparer::begin(const SeenDocument& document, const known::SourceTemplate* left_out, const Snapshot& snapshot) {
  document_ = document;
  best_.reset();
  match_.clear();
  logged_ = {};
  compared_ = 0;
  done_ = false;
  looked_.clear();
  noted_.clear();
  memory_.resize(kComparerBytes + known::TextSketcher::memory_bytes(document.text.size()), kCompared);
  sketcher_.sketch(document.text, left_out == nullptr ? nullptr : &left_out->left_out, sketch_);
  if (snapshot.manifest().segments.empty()) return;
  const std::shared_ptr<Snapshot::Lent> lent = snapshot.lend();
  compare_known(snapshot, *lent->reader);
}

void Comparer::compare_known(const Snapshot& snapshot, library::Reader& reader) {
  probes_.clear();
  for (const std::uint64_t key : sketch_.keys) probes_.push_back({key, 0});
  std::sort(probes_.begin(), probes_.end());
  hits_.clear();
  reader.find(probes_, known::kMostOfKey, [&](std::size_t, library::KnownId known) { hits_.push_back(known); });
  std::sort(hits_.begin(), hits_.end());
  hits_.erase(std::unique(hits_.begin(), hits_.end()), hits_.end());
  for (const library::KnownId hit : hits_) {
    if (done_) return;
    reader.get(hit, known_);
    const std::optional<known::Proposal> proposal =
        proposer_(sketch_.digest, sketch_.signature, known_.digest, known_.signature);
    if (!proposal) continue;
    std::string id = reader.id(hit);
    const std::optional<std::string> text = known::old_text(reader, known_, id, context_, budget_);
    if (judge(*proposal, text, snapshot.templates().of(known_.segment, known_.source))) match_ = std::move(id);
  }
}

bool Comparer::judge(const known::Proposal& proposal, const std::optional<std::string>& text,
                     const text::LeftOut* left_out) {
  done_ = ++compared_ == known::kMostMatches;
  const Reservation room =
      budget_.reserve(text ? text->size() + known::TextSketcher::memory_bytes(text->size()) : 0, kCompared);
  const std::optional<known::Verdict> verdict = known::judge(
      rules_, proposal, text.has_value(), [&] { return document_.text == *text; },
      [&] { return sketcher_.similarity(sketch_, *text, left_out); },
      [&] { return sketcher_.loss(document_.text, sketch_, *text); });
  if (!verdict || (best_ && !verdict->says_more(*best_))) return false;
  best_ = verdict;
  logged_ = {};
  done_ = done_ || verdict->kind == known::Verdict::exact;
  return true;
}

bool Comparer::notes_more(const std::shared_ptr<Recent>& recent) {
  if (!recent || done_) return false;
  auto looked = std::ranges::find(looked_, recent, [](const auto& one) { return one.first; });
  if (looked == looked_.end()) looked = looked_.insert(looked_.end(), {recent, 0});
  found_.clear();
  for (const std::uint64_t key : sketch_.keys) recent->find(key, looked->second, known::kMostOfKey, found_);
  looked->second = recent->size();
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  for (const std::uint32_t i : found_) noted_.push_back({recent, &(*recent)[i]});
  return !noted_.empty();
}

void Comparer::compare() {
  for (const Noted& noted : noted_) {
    if (done_) break;
    const RecentDocument& other = *noted.document;
    known::TextLog& log = noted.recent->log();
    if (log.failed() && other.end > log.durable()) continue;  // it was taken back
    const std::optional<known::Proposal> proposal =
        proposer_(sketch_.digest, sketch_.signature, other.digest, other.signature);
    if (!proposal) continue;
    const Reservation room = budget_.reserve(other.bytes, kCompared);
    const std::optional<std::string> text = corpus::text_of_raw(Format::jsonl, log.read(other.begin, other.bytes));
    if (!judge(*proposal, text, other.left_out ? &other.left_out->left_out : nullptr)) continue;
    match_ = other.id;
    logged_ = {noted.recent, other.end};
  }
  noted_.clear();
}

SeenAnswer Comparer::answer() const {
  SeenAnswer answer;
  if (!best_) return answer;
  answer.match = match_;
  answer.similarity = best_->similarity;
  answer.verified = best_->trusted == 0 && best_->kind != known::Verdict::gone;
  if (best_->removes()) answer.status = best_->kind == known::Verdict::exact ? SeenStatus::exact : SeenStatus::near;
  return answer;
}

}  // namespace refrain::verbs::seen
