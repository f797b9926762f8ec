#include "engines/sketch/comparer.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/attachment.h"
#include "engines/sketch/loss.h"

namespace refrain::sketch {

namespace {

constexpr std::size_t kHeldText = std::size_t{1} << 20;      // the buffer of a longer text is freed after use
constexpr std::size_t kHeldWindows = std::size_t{64} << 10;  // size of a text whose windows are held in order
constexpr std::size_t kHeldWritten = std::size_t{128} << 10;
constexpr std::uint64_t kHeldOverhead = 128;  // bytes of a cached set besides its windows

std::uint64_t bytes_of(const Comparer::Set& set) {
  return set.size() * sizeof(std::uint64_t) + kHeldOverhead;
}

}  // namespace

Comparer::Comparer(KeyedTexts& texts, const text::FeaturePlan& plan, const MatchRule& rule, MemoryBudget& budget,
                   std::uint64_t memory_bytes)
    : texts_(texts),
      window_(plan.window),
      rule_(rule),
      memory_bytes_(memory_bytes),
      reservation_(budget.reserve(memory_bytes, "the windows of documents")),
      room_(budget.reserve(0, "")),
      stream_(plan),
      token_plan_(plan.of_tokens()) {}

double Comparer::similarity(std::uint64_t a, std::uint64_t b) {
  const Set& first = set_of(a);
  return jaccard_from(rule_.threshold, first, set_of(b));
}

Loss Comparer::loss(std::uint64_t removed, std::uint64_t kept) {
  Loss loss = lost_tokens(removed, kept, rule_.weighs_loss() ? &runs_ : nullptr);
  if (rule_.weighs_loss() && is_heavy(removed, kept, loss)) loss.heavy = 1;
  loss.attachments = lost_attachments(removed, kept);
  if (rule_.reads_words() && std::max(texts_.bytes(removed), texts_.bytes(kept)) <= WrittenReader::kMostBytes) {
    if (written_bytes_ > kHeldWritten) {
      written_.clear();
      written_bytes_ = 0;
    }
    compare_written(written(removed), written(kept), window_, rule_, loss);
  }
  return loss;
}

void Comparer::cache_windows(std::uint64_t key, Set windows) {
  make_set(windows);
  remember(key, std::move(windows));
}

void Comparer::forget() {
  places_.clear();
  held_.clear();
  held_bytes_ = 0;
  reserve_beside(0);
}

const Comparer::Set& Comparer::set_of(std::uint64_t key) {
  if (const auto found = places_.find(key); found != places_.end()) {
    held_.splice(held_.begin(), held_, found->second);
    return held_.front().set;
  }
  const std::uint64_t bytes = texts_.bytes(key);
  const std::uint64_t beside = texts_.in_memory() ? 0 : bytes;
  std::size_t room = static_cast<std::size_t>(bytes) / 5 + 16;
  reserve_beside(beside + room * sizeof(std::uint64_t));
  const std::string_view text = texts_.get(key, scratch_);
  Set set;
  set.reserve(room);
  text::compared_windows(
      text, texts_.left_out(key), stream_, [&] { set.clear(); },
      [&](std::span<const std::uint64_t> features) {
        if (set.size() + features.size() > room) {
          const std::size_t wanted = std::max(2 * room, set.size() + features.size());
          reserve_beside(beside + (room + wanted) * sizeof(std::uint64_t));
          set.reserve(room = wanted);
        }
        set.insert(set.end(), features.begin(), features.end());
      });
  make_set(set);
  set.shrink_to_fit();
  const Set& remembered = remember(key, std::move(set));
  forget_long_text();
  return remembered;
}

const Comparer::Set& Comparer::remember(std::uint64_t key, Set set) {
  held_bytes_ += bytes_of(set);
  // The most recently used set always stays, because it is the other one of the current pair.
  while (held_bytes_ > memory_bytes_ && held_.size() > 1) {
    held_bytes_ -= bytes_of(held_.back().set);
    places_.erase(held_.back().key);
    held_.pop_back();
  }
  reserve_beside(0);
  held_.push_front({key, std::move(set)});
  places_[key] = held_.begin();
  return held_.front().set;
}

void Comparer::reserve_beside(std::uint64_t bytes) {
  reservation_.resize(std::max(memory_bytes_, held_bytes_ + bytes), "the windows of a long document");
}

void Comparer::reserve_texts(std::uint64_t bytes, std::uint64_t beside) {
  room_.resize((texts_.in_memory() || bytes <= kHeldText ? 0 : bytes) + (beside <= kHeldText ? 0 : beside),
               "a long document");
}

// A long text is not kept, because its memory is no longer reserved.
void Comparer::forget_long_text() {
  if (scratch_.capacity() > kHeldText) std::string().swap(scratch_);
}

const WrittenTokens& Comparer::written(std::uint64_t key) {
  const auto [found, is_new] = written_.try_emplace(key);
  if (is_new) {
    reader_.read(texts_.get(key, scratch_), found->second);
    found->second.hashes.shrink_to_fit();
    written_bytes_ += 2 * sizeof *found + found->second.hashes.size() * sizeof(std::uint64_t);
  }
  return found->second;
}

Loss Comparer::lost_tokens(std::uint64_t removed, std::uint64_t kept, std::vector<LostRun>* runs) {
  const Set& first = set_of(removed);
  const Set& second = set_of(kept);
  const std::uint64_t bytes = texts_.bytes(removed);
  if (runs != nullptr) runs->clear();
  if (bytes <= kHeldText) {
    own_features(first, second, own_);
    if (own_.empty()) return {};
    return bytes <= kHeldWindows ? loss_of(windows_of(removed), own_, window_, runs)
                                 : loss_of(texts_.get(removed, scratch_), own_, window_, stream_, runs);
  }
  // For a long text, this takes no more memory than making its set did.
  reserve_texts(bytes);
  const Loss loss = loss_against(texts_.get(removed, scratch_), first, second, window_, stream_, runs);
  forget_long_text();
  reserve_texts(0);
  return loss;
}

bool Comparer::is_heavy(std::uint64_t removed, std::uint64_t kept, const Loss& loss) {
  // At worst, all lost words are new, and nothing is gained. A text has more tokens than windows.
  LossWeight weight{.tokens = set_of(removed).size(),
                    .lost = loss.tokens,
                    .longest = loss.longest,
                    .words = loss.tokens,
                    .quarters = std::uint64_t{4} * loss.longest,
                    .contexts = std::numeric_limits<std::uint32_t>::max()};
  if (!weight.is_heavy()) return false;
  // At best, none of them is new. A text has at most as many tokens as bytes.
  if (runs_.size() == kMostLostRuns || LossWeight{.tokens = texts_.bytes(removed), .quarters = loss.longest}.is_heavy())
    return true;
  weight.gained = lost_tokens(kept, removed, &gained_runs_).tokens;
  weight.contexts = std::max(weight.lost, weight.gained);
  if (!weight.is_heavy()) return false;
  const std::uint64_t gained = weight.gained;
  weight = weigh(removed, kept, runs_, loss.tokens);
  weight.gained = gained;
  if (weight.is_heavy() || weight.longest <= LossWeight::kPlainRun || gained == 0) return weight.is_heavy();
  if (gained_runs_.size() == kMostLostRuns) return true;
  weight.contexts = std::max(weight.contexts, weigh(kept, removed, gained_runs_, gained).contexts);
  return weight.is_heavy();
}

LossWeight Comparer::weigh(std::uint64_t a, std::uint64_t b, std::span<const LostRun> runs, std::uint64_t lost) {
  if (!tokens_) tokens_.emplace(token_plan_);
  const std::uint64_t beside = LossScale::memory_bytes(lost);
  reserve_texts(std::max(texts_.bytes(a), texts_.bytes(b)), beside);
  scale_.read_lost(texts_.get(a, scratch_), runs, *tokens_);
  const LossWeight weight = scale_.weigh(runs, texts_.get(b, scratch_), *tokens_);
  forget_long_text();
  if (beside > kHeldText) scale_ = {};
  reserve_texts(0);
  return weight;
}

std::uint16_t Comparer::lost_attachments(std::uint64_t removed, std::uint64_t kept) {
  if (bare_ == removed) return 0;
  reserve_texts(texts_.bytes(removed));
  const std::string_view text = texts_.get(removed, scratch_);
  std::uint16_t lost = 0;
  if (has_attachments(text)) {
    reserve_texts(texts_.bytes(removed) + texts_.bytes(kept));
    std::string other;
    lost = attachments_lost(text, texts_.get(kept, other));
  } else {
    bare_ = removed;
  }
  forget_long_text();
  reserve_texts(0);
  return lost;
}

// Holds the windows of one text, because the pairs of a text come one after another.
const std::vector<std::uint64_t>& Comparer::windows_of(std::uint64_t key) {
  if (windows_key_ == key) return windows_;
  windows_key_ = key;
  windows_.clear();
  stream_.start(texts_.get(key, scratch_));
  for (std::span<const std::uint64_t> features; stream_.next(features);)
    windows_.insert(windows_.end(), features.begin(), features.end());
  return windows_;
}

}  // namespace refrain::sketch
