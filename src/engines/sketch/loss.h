// Loss: the tokens and attachments that would be lost if a text were removed and only another one kept.
//
// A token is held if some window of the text that contains it is also a window of the other text. So a changed word
// is a loss of one token, and a sentence of its own is a loss of the whole sentence, wherever it is.
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
  std::uint32_t attachments = 0;
  friend bool operator==(const Loss&, const Loss&) = default;
};

// When one text may be removed in favor of another. Every way of comparing two documents follows the same rule.
struct MatchRule {
  double threshold = kDefaultThreshold;      // the least similarity
  std::uint32_t max_loss = kDefaultMaxLoss;  // the most consecutive tokens that may be lost
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;

  static MatchRule of(const DocumentMatchOptions& options) {
    return {options.threshold, options.max_loss, options.windows.tokenizer};
  }

  bool allows(std::uint64_t longest_loss) const { return longest_loss <= max_loss; }
  bool limits_loss() const { return max_loss != kAnyLoss; }
  // Whether it matters how texts are written: the tokenizer ignores symbols, and the allowed loss is limited.
  bool compares_symbols() const {
    return limits_loss() && (tokenizer == TokenizerKind::words || tokenizer == TokenizerKind::words_nfkc ||
                             tokenizer == TokenizerKind::alpha);
  }
  // Whether a similar text may be removed: no attachment is lost, few enough consecutive tokens are lost, and the texts
  // are as similar where symbols count.
  bool covers(const Loss& loss) const {
    return loss.attachments == 0 && (!limits_loss() || (allows(loss.longest) && loss.written >= threshold));
  }
};

// Collects the features of one set that the other lacks; both must be ascending.
void own_features(std::span<const std::uint64_t> of, std::span<const std::uint64_t> other,
                  std::vector<std::uint64_t>& own);

// Counts lost tokens while the windows of a text are added in order.
class LossCount {
 public:
  explicit LossCount(unsigned window) : window_(window) {}

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
    ++place_;
  }

  const std::uint64_t window_;
  std::uint64_t place_ = 0;    // position of the next token
  std::uint64_t covered_ = 0;  // tokens before this position are held
  std::uint32_t run_ = 0;
  Loss loss_;
};

// The loss of a text next to another one. `compared` are the windows by which the text is compared, `other` those of
// the other text, both ascending. Windows that are left out of the comparison are not lost with the text. Slower
// than loss_of().
Loss loss_against(std::string_view text, std::span<const std::uint64_t> compared, std::span<const std::uint64_t> other,
                  unsigned window, text::FeatureStream& stream);

// The loss of a text. `own` are its windows that the other text lacks, ascending; `windows` are all its windows, in
// order.
Loss loss_of(std::span<const std::uint64_t> windows, std::span<const std::uint64_t> own, unsigned window);
Loss loss_of(std::string_view text, std::span<const std::uint64_t> own, unsigned window, text::FeatureStream& stream);

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
