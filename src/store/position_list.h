// Rising positions: in memory while they are few, then in a temporary file, a byte or two each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/files/temp_space.h"

namespace refrain::store {

// Not thread-safe.
class PositionList {
 public:
  // Holds up to `most_in_memory` positions, eight bytes each, and while it is read as many again.
  PositionList(TempSpace& temp, std::size_t most_in_memory) : temp_(&temp), most_in_memory_(most_in_memory) {}

  void add(std::uint64_t position) {
    if (recent_.size() == most_in_memory_) put_aside();
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

  // Forgets all, and gives the disk back.
  void clear();

 private:
  // Bytes of the file that hold most_in_memory_ positions.
  struct Frame {
    std::uint64_t offset;
    std::uint32_t bytes;
  };

  void put_aside();
  void fetch(const Frame& frame, std::vector<std::uint64_t>& positions) const;

  TempSpace* temp_;
  std::size_t most_in_memory_;
  std::vector<std::uint64_t> recent_;
  std::optional<TempFile> file_;
  std::vector<Frame> frames_;
  std::uint64_t size_ = 0;
};

}  // namespace refrain::store
