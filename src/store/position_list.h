// A list of increasing positions: in memory while they are few, then in a temporary file, a byte or two each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/files/temp.h"

namespace refrain::store {

// Not thread-safe.
class PositionList {
 public:
  // Holds up to `max_in_memory` positions in memory, eight bytes each, and the same number again while it is read.
  PositionList(TempSpace& temp, std::size_t max_in_memory) : temp_(&temp), max_in_memory_(max_in_memory) {}

  void add(std::uint64_t position) {
    if (recent_.size() == max_in_memory_) spill();
    recent_.push_back(position);
    ++size_;
  }
  std::uint64_t size() const { return size_; }

  // Calls fn(position) for each, in order.
  template <class Fn>
  void for_each(Fn fn) const {
    std::vector<std::uint64_t> positions;
    for (const Frame& frame : frames_) {
      fetch(frame, positions);
      for (const std::uint64_t position : positions) fn(position);
    }
    for (const std::uint64_t position : recent_) fn(position);
  }

  // Removes all positions, and gives the disk space back.
  void clear();

 private:
  // A range of the file that holds max_in_memory_ positions.
  struct Frame {
    std::uint64_t offset;
    std::uint32_t bytes;
  };

  void spill();
  void fetch(const Frame& frame, std::vector<std::uint64_t>& positions) const;

  TempSpace* temp_;
  std::size_t max_in_memory_;
  std::vector<std::uint64_t> recent_;
  std::optional<TempFile> file_;
  std::vector<Frame> frames_;
  std::uint64_t size_ = 0;
};

}  // namespace refrain::store
