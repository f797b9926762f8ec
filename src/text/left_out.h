// Windows that are left out when texts are compared: what many texts of one source share.
//
// A text is compared by what is left of it, however little that is: what it says of its own decides. Where nothing is left,
// the whole is compared. Either way the windows depend on the text and its source alone, so two texts are compared the
// same way from both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "text/windows.h"

namespace refrain::text {

// Immutable; threads may share one.
class LeftOut {
 public:
  explicit LeftOut(std::span<const std::uint64_t> windows);

  bool contains(std::uint64_t window) const {
    std::size_t at = place(window);
    while (table_[at] != window && table_[at] != kNone) at = (at + 1) & mask_;
    return table_[at] == window && window != kNone;
  }

  // What so many windows take in memory.
  static std::uint64_t memory_bytes(std::size_t windows);

 private:
  static constexpr std::uint64_t kNone = 0;  // an empty place; a window of that hash is never left out

  std::size_t place(std::uint64_t window) const {
    return static_cast<std::size_t>(window * 0x9E3779B97F4A7C15ULL >> 32U) & mask_;
  }

  std::size_t mask_;
  std::vector<std::uint64_t> table_;
};

// The windows by which `text` is compared: begin(), then add(windows) for all of them in order, a few at a time. Where it
// turns out that none is left, both are called again for the whole. `left_out` may be null.
template <class Begin, class Add>
void compared_windows(std::string_view text, const LeftOut* left_out, FeatureStream& stream, Begin begin, Add add) {
  std::span<const std::uint64_t> features;
  if (left_out != nullptr) {
    bool left = false;
    begin();
    for (stream.start(text); stream.next(features);)
      for (std::size_t i = 0, first = 0; i <= features.size(); ++i) {
        if (i < features.size() && !left_out->contains(features[i])) continue;
        if (i != first) {
          add(features.subspan(first, i - first));
          left = true;
        }
        first = i + 1;
      }
    if (left) return;
  }
  begin();
  for (stream.start(text); stream.next(features);) add(features);
}

}  // namespace refrain::text
