// Windows that are left out when texts are compared, because many texts of one source share them.
//
// A text is compared by the windows that remain, however few they are, because these are its own. If none remain, all
// its windows are compared. Either way the windows depend on the text and its source alone, so the comparison of two
// texts is symmetric.
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
    std::size_t at = slot_of(window);
    while (table_[at] != window && table_[at] != kNone) at = (at + 1) & mask_;
    return table_[at] == window && window != kNone;
  }

  // The memory that this number of windows takes.
  static std::uint64_t memory_bytes(std::size_t windows);

 private:
  static constexpr std::uint64_t kNone = 0;  // marks an empty slot; a window with this hash is never left out

  std::size_t slot_of(std::uint64_t window) const {
    return static_cast<std::size_t>(window * 0x9E3779B97F4A7C15ULL >> 32U) & mask_;
  }

  std::size_t mask_;
  std::vector<std::uint64_t> table_;
};

// Enumerates the windows by which `text` is compared: calls begin(), then add(windows) for all of them in order, a
// few at a time. If it turns out that none remain, calls both again for all windows of the text. `left_out` may be
// null.
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
