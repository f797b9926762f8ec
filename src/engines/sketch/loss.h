// Loss: the tokens and attachments that would be lost if a text were removed and only another one kept.
//
// A token is held if some window of the text that contains it is also a window of the other text. So a changed word
// is a loss of one token, and a sentence of its own is a loss of the whole sentence, wherever it is.
//
// By default, losses are weighed. A lost word counts fully where it is new: the other text does not have it anywhere.
// It counts a quarter otherwise, because then it was more likely moved, repeated or reworded than lost.
//
// Attachments are those that lines of the text name (base/attachment.h). A text is never removed in favor of one
// that lacks one of its attachments, whatever loss of tokens is allowed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"
#include "text/windows.h"

namespace refrain::sketch {

struct Loss {
  std::uint32_t tokens = 0;
  std::uint32_t longest = 0;  // the longest run of lost tokens
  float written = 1;          // similarity of the texts as they are written (written.h); 1 if it was not computed
  std::uint16_t attachments = 0;
  std::uint8_t heavy = 0;    // 1: more than may be lost by default (LossWeight); 0 as well if it was not weighed
  std::uint8_t details = 0;  // bits (written.h): small things in which the texts differ; 0 as well if unknown
  friend bool operator==(const Loss&, const Loss&) = default;
};

// When one text may be removed in favor of another. Every way of comparing two documents follows the same rule.
struct MatchRule {
  double threshold = kDefaultThreshold;  // the least similarity
  std::uint32_t max_loss = kAutoLoss;    // as in DocumentMatchOptions
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;

  static MatchRule of(const DocumentMatchOptions& options) {
    return {options.threshold, options.max_loss, options.windows.tokenizer};
  }

  // Whether so many tokens in a row may be lost, whatever they weigh.
  bool allows(std::uint64_t longest_loss) const {
    constexpr std::uint64_t kMostLost = 16;
    return longest_loss <= (max_loss == kAutoLoss ? kMostLost : max_loss);
  }
  bool limits_loss() const { return max_loss != kAnyLoss; }
  // Whether losses are weighed, which takes tokens that mean something.
  bool weighs_loss() const {
    return max_loss == kAutoLoss && tokenizer != TokenizerKind::chars && tokenizer != TokenizerKind::bytes &&
           tokenizer != TokenizerKind::dna;
  }
  // Whether tokens are words, which symbols are no part of.
  bool reads_words() const {
    return tokenizer == TokenizerKind::words || tokenizer == TokenizerKind::words_nfkc ||
           tokenizer == TokenizerKind::alpha;
  }
  // Whether it matters how texts are written: the tokenizer ignores symbols, and the allowed loss is limited.
  bool compares_symbols() const { return limits_loss() && reads_words(); }
  // Whether a similar text may be removed: no attachment is lost, little enough of the text is lost, and the texts are
  // as similar where symbols count.
  bool covers(const Loss& loss) const {
    if (loss.attachments != 0) return false;
    if (!limits_loss()) return true;
    return (weighs_loss() ? loss.heavy == 0 : allows(loss.longest)) && loss.written >= threshold;
  }
};

// The weight of a loss.
struct LossWeight {
  static constexpr std::uint64_t kPlainRun = 16;  // a subject counts only if a longer run is lost

  std::uint64_t tokens = 0;    // of the text
  std::uint64_t lost = 0;      // of these
  std::uint64_t longest = 0;   // run of lost tokens
  std::uint64_t gained = 0;    // tokens of the other text that would be lost with that one
  std::uint64_t words = 0;     // new words: different lost words that the other text does not have anywhere
  std::uint64_t quarters = 0;  // the heaviest run of lost tokens: 4 for a new word where it is lost first, else 1
  std::uint64_t contexts = 0;  // the most pairs of neighbors that a new word without digits has, of either text

  bool is_heavy() const {
    return too_much(quarters) || too_much(2 * (words - std::min(words, gained))) || is_whole() ||
           (longest > kPlainRun && has_subject());
  }

 private:
  // 6 new words may be lost in one piece, or 1 % of the text, but no more than grows with the square root of its
  // length; and twice as many in all for which the other text has nothing in exchange.
  bool too_much(std::uint64_t weight) const {
    return weight > 24 && (25 * weight > tokens || weight * weight > 6 * tokens);
  }
  // The other text is just a part of this one.
  bool is_whole() const { return lost > 64 && lost > 16 * gained; }
  // One of the texts speaks about something that the other one does not mention, as pages of a reference do.
  bool has_subject() const { return contexts > 3 && contexts * contexts > tokens / 256; }
};

// Texts that differ in so many places are not weighed: the loss is heavy.
inline constexpr std::size_t kMostLostRuns = std::size_t{1} << 16;

struct LostRun {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Collects the features of one set that the other lacks; both must be ascending.
void own_features(std::span<const std::uint64_t> of, std::span<const std::uint64_t> other,
                  std::vector<std::uint64_t>& own);

// Counts lost tokens while the windows of a text are added in order. Adds the first kMostLostRuns of their runs to
// `runs`, unless that is null.
class LossCount {
 public:
  explicit LossCount(unsigned window, std::vector<LostRun>* runs = nullptr) : window_(window), runs_(runs) {}

  void add(bool held) {
    if (held) covered_ = place_ + window_;
    take();
  }
  // Must be called after the last window; counts the tokens of that window after its first.
  Loss finish() {
    if (place_ != 0)
      for (unsigned i = 1; i < window_; ++i) take();
    return loss_;
  }

 private:
  void take() {
    run_ = place_ < covered_ ? 0 : run_ + 1;
    loss_.tokens += run_ != 0 ? 1 : 0;
    loss_.longest = std::max(loss_.longest, run_);
    if (run_ != 0 && runs_ != nullptr) note_run();
    ++place_;
  }

  void note_run() {
    if (run_ > 1)
      runs_->back().end = place_ + 1;
    else if (runs_->size() < kMostLostRuns)
      runs_->push_back({place_, place_ + 1});
  }

  const std::uint64_t window_;
  std::vector<LostRun>* const runs_;
  std::uint64_t place_ = 0;    // position of the next token
  std::uint64_t covered_ = 0;  // tokens before this position are held
  std::uint32_t run_ = 0;
  Loss loss_;
};

// The loss of a text next to another one. `compared` are the windows by which the text is compared, `other` those of
// the other text, both ascending. Windows that are left out of the comparison are not lost with the text. Slower
// than loss_of().
Loss loss_against(std::string_view text, std::span<const std::uint64_t> compared, std::span<const std::uint64_t> other,
                  unsigned window, text::FeatureStream& stream, std::vector<LostRun>* runs = nullptr);

// The loss of a text. `own` are its windows that the other text lacks, ascending; `windows` are all its windows, in
// order.
Loss loss_of(std::span<const std::uint64_t> windows, std::span<const std::uint64_t> own, unsigned window,
             std::vector<LostRun>* runs = nullptr);
Loss loss_of(std::string_view text, std::span<const std::uint64_t> own, unsigned window, text::FeatureStream& stream,
             std::vector<LostRun>* runs = nullptr);

// Weighs the lost runs of a text. `tokens` streams single tokens (FeaturePlan::of_tokens). weigh() sets all of the
// weight but `gained`, and counts the contexts in that text alone.
class LossScale {
 public:
  // Must be called before weigh(), for the text that has the runs.
  void read_lost(std::string_view text, std::span<const LostRun> runs, text::FeatureStream& tokens);
  LossWeight weigh(std::span<const LostRun> runs, std::string_view other, text::FeatureStream& tokens);

  static std::uint64_t memory_bytes(std::uint64_t lost) { return 8 * sizeof(std::uint64_t) * lost; }

 private:
  struct Context {
    std::uint64_t word;
    std::uint64_t neighbors;
    friend auto operator<=>(const Context&, const Context&) = default;
  };
  std::uint64_t most_contexts();

  std::uint64_t tokens_ = 0;
  std::vector<std::uint64_t> lost_;    // the lost tokens, in order
  std::vector<std::uint64_t> around_;  // the tokens before and after each run
  std::vector<std::uint64_t> words_;   // the different lost tokens, ascending
  std::vector<Context> contexts_;      // of new words without digits
};

// Sets of features and how much two of them share: the exact values that signatures only estimate.

// Sorts the features and removes duplicates.
void make_set(std::vector<std::uint64_t>& features);

// The number of features that two sets have in common. Once this can no longer reach `least`, any smaller number may
// be returned.
std::size_t common_features(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::size_t least = 0);

// The Jaccard similarity: the share of the union that is in both sets. 1 for two empty sets.
double jaccard(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// The same, but 0 if it is less than `threshold`, which is faster to determine.
double jaccard_from(double threshold, std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

// The least number of common features for which sets of these sizes have a similarity of at least `threshold`.
std::size_t common_for(double threshold, std::size_t a, std::size_t b);

}  // namespace refrain::sketch
