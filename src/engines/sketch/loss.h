// What would be lost with a text if only another one stayed: the tokens that the other does not hold.
//
// A token is held where some window of the text that contains it is a window of the other one too. So a changed word is
// a loss of one token, and a sentence of its own a loss of the whole sentence, wherever it stands.
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
  std::uint32_t longest = 0;  // of them, in a row
  float written = 1;          // similarity of the texts as they are written (written.h), where somebody looked
  friend bool operator==(const Loss&, const Loss&) = default;
};

// Whether a similar text may go for the other: no more than `max_loss` tokens in a row are lost, and they are as similar as
// they are written.
inline bool covers(const Loss& loss, std::uint32_t max_loss, double threshold) {
  return max_loss == kAnyLoss || (loss.longest <= max_loss && loss.written >= threshold);
}

// The features of one set that are not in the other; both ascending.
void own_features(std::span<const std::uint64_t> of, std::span<const std::uint64_t> other,
                  std::vector<std::uint64_t>& own);

// Counts tokens as the windows of a text come by, in order.
class LossCount {
 public:
  explicit LossCount(unsigned window) : window_(window) {}

  void add(bool held) {
    if (held) covered_ = place_ + window_;
    take();
  }
  // After the last window, whose tokens but the first are still to be counted.
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
  std::uint64_t place_ = 0;    // of the next token
  std::uint64_t covered_ = 0;  // tokens before it are held
  std::uint32_t run_ = 0;
  Loss loss_;
};

// The same for one text whose windows in order are not at hand. `compared` are those by which it is compared, `other` those
// of the other, both ascending. What is left out of the text is not lost with it. Slower.
Loss loss_beside(std::string_view text, std::span<const std::uint64_t> compared, std::span<const std::uint64_t> other,
                 unsigned window, text::FeatureStream& stream);

// The loss of a text whose windows that the other lacks are `own`, ascending; `windows` are all of them, in order.
Loss loss_of(std::span<const std::uint64_t> windows, std::span<const std::uint64_t> own, unsigned window);
Loss loss_of(std::string_view text, std::span<const std::uint64_t> own, unsigned window, text::FeatureStream& stream);

}  // namespace refrain::sketch
