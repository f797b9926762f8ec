#include "text/left_out.h"

#include <algorithm>
#include <bit>

namespace refrain::text {

namespace {

std::size_t table_size(std::size_t windows) {
  return std::bit_ceil(std::max<std::size_t>(2 * windows, 2));
}

}  // namespace

LeftOut::LeftOut(std::span<const std::uint64_t> windows)
    : mask_(table_size(windows.size()) - 1), table_(mask_ + 1, kNone) {
  for (const std::uint64_t window : windows) {
    std::size_t at = slot_of(window);
    while (table_[at] != kNone && table_[at] != window) at = (at + 1) & mask_;
    table_[at] = window;
  }
}

std::uint64_t LeftOut::memory_bytes(std::size_t windows) {
  return table_size(windows) * sizeof(std::uint64_t) + sizeof(LeftOut);
}

}  // namespace refrain::text
