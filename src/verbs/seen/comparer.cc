#include "verbs/seen/comparer.h"

#include <algorithm>
#include <utility>

#include "base/threads.h"
#include "corpus/formats/raw_json.h"
#include "verbs/known/old_texts.h"

namespace refrain::verbs::seen {

namespace {

constexpr const char* kCompared = "the documents that are compared";
constexpr std::uint64_t kComparerBytes = std::uint64_t{2} << 20;  // memory of the buffers

}  // namespace

Comparer::Comparer(const known::SketchPlan& plan, bool trust_signatures, known::FileTexts& file_texts,
                   const Context& context, MemoryBudget& budget)
    : proposer_(plan.layout.lanes, plan.rules.threshold),
      rules_{.match = sketch::MatchRule::of(plan.rules), .trust_signatures = trust_signatures},
      file_texts_(file_texts),
      context_(context),
      budget_(budget),
      memory_(budget.reserve(kComparerBytes, kCompared)),
      plan_(plan) {
  if (plan.features) comparer_.emplace(texts_, *plan.features, rules_.match, budget_, 0);
}

void Comparer::begin(const SeenDocument& document, const known::SourceTemplate* left_out, const Snapshot& snapshot,
                     const std::stop_token& stop) {
  context_.stop = stop;
  best_.reset();
  match_.clear();
  logged_ = {};
  compared_ = 0;
  settled_ = false;
  looked_.clear();
  candidates_.clear();
  memory_.resize(kComparerBytes + known::sketch_memory_bytes(document.text.size()), kCompared);
  if (comparer_) comparer_->forget();
  texts_.document = texts_.keyed(document.text, left_out == nullptr ? nullptr : &left_out->left_out);
  known::sketch_text(plan_, document.text, texts_.document.left_out, comparer_ ? &comparer_->stream() : nullptr,
                     sketch_);
  if (snapshot.manifest().segments.empty()) return;
  const std::shared_ptr<Snapshot::LentReader> lent = snapshot.lend();
  compare_known(snapshot, *lent->reader);
}

void Comparer::compare_known(const Snapshot& snapshot, library::Reader& reader) {
  probes_.clear();
  known::append_probes(sketch_.keys, 0, probes_);
  std::sort(probes_.begin(), probes_.end());
  copies_.clear();
  hits_.clear();
  reader.find(probes_, [&](std::size_t probe, library::KnownId hit) {
    if (!known::is_of_digest(probes_[probe])) {
      hits_.push_back(hit);
      return;
    }
    reader.get(hit, known_);
    if (known_.digest == sketch_.digest) known::add_copy(hit, copies_);
  });
  for (const library::KnownId copy : copies_) {
    if (settled_) return;
    reader.get(copy, known_);
    compare_known(snapshot, reader, copy, {.exact = true});
  }
  std::sort(hits_.begin(), hits_.end());
  hits_.erase(std::unique(hits_.begin(), hits_.end()), hits_.end());
  for (const library::KnownId hit : hits_) {
    if (settled_ || compared_ == known::kMostMatches) return;
    reader.get(hit, known_);
    const std::optional<known::Proposal> proposal =
        proposer_(sketch_.digest, sketch_.signature, known_.digest, known_.signature);
    if (proposal && !proposal->exact) compare_known(snapshot, reader, hit, *proposal);
  }
}

void Comparer::compare_known(const Snapshot& snapshot, library::Reader& reader, library::KnownId hit,
                             const known::Proposal& proposal) {
  std::string id = reader.id(hit);
  const std::optional<std::string> text = known::text_of_known(reader, known_, id, &file_texts_, context_, budget_);
  if (judge(proposal, text, snapshot.templates().of(known_.segment, known_.source))) match_ = std::move(id);
}

bool Comparer::judge(const known::Proposal& proposal, const std::optional<std::string>& text,
                     const text::LeftOut* left_out) {
  throw_if_stopped(context_);
  if (!proposal.exact) ++compared_;
  const Reservation room = budget_.reserve(text ? text->size() : 0, kCompared);
  texts_.other = texts_.keyed(text ? std::string_view(*text) : std::string_view(), left_out);
  if (comparer_ && !proposal.exact && !sketch_.windows.empty())
    comparer_->cache_windows(texts_.document.key, std::exchange(sketch_.windows, {}));
  const std::optional<known::Verdict> verdict =
      known::judge(rules_, proposal, text.has_value(), texts_.document.key, texts_.other.key, texts_,
                   comparer_ ? &*comparer_ : nullptr);
  if (!verdict || (best_ && !verdict->is_better_than(*best_))) return false;
  best_ = verdict;
  logged_ = {};
  settled_ = verdict->kind == known::Verdict::exact;
  return true;
}

bool Comparer::note_candidates(const std::shared_ptr<Recent>& recent) {
  if (!recent || settled_) return false;
  auto looked = std::ranges::find(looked_, recent, [](const auto& one) { return one.first; });
  if (looked == looked_.end()) looked = looked_.insert(looked_.end(), {recent, 0});
  found_.clear();
  recent->find(sketch_.keys.front(), looked->second, library::kAllOfKey, found_);  // copies
  if (compared_ < known::kMostMatches)
    for (std::size_t i = 1; i < sketch_.keys.size(); ++i)
      recent->find(sketch_.keys[i], looked->second, known::kMostOfKey, found_);
  looked->second = recent->size();
  std::sort(found_.begin(), found_.end());
  found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
  for (const std::uint32_t i : found_) candidates_.push_back({recent, &(*recent)[i]});
  return !candidates_.empty();
}

void Comparer::compare() {
  std::stable_partition(candidates_.begin(), candidates_.end(),
                        [&](const Candidate& noted) { return noted.document->digest == sketch_.digest; });
  for (const Candidate& noted : candidates_) {
    if (settled_) break;
    const RecentDocument& other = *noted.document;
    known::TextLog& log = noted.recent->log();
    if (log.failed() && other.end > log.durable()) continue;  // its addition failed and was undone
    const std::optional<known::Proposal> proposal =
        proposer_(sketch_.digest, sketch_.signature, other.digest, other.signature);
    if (!proposal || (!proposal->exact && compared_ == known::kMostMatches)) continue;
    const Reservation room = budget_.reserve(other.bytes, kCompared);
    const std::optional<std::string> text = corpus::json_content(log.read(other.begin, other.bytes));
    if (!judge(*proposal, text, other.left_out ? &other.left_out->left_out : nullptr)) continue;
    match_ = other.id;
    logged_ = {noted.recent, other.end};
  }
  candidates_.clear();
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
