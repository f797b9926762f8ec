// A segment that is read: everything but its keys.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "base/budget.h"
#include "engines/library/documents.h"
#include "engines/library/ids.h"
#include "engines/library/manifest.h"
#include "engines/library/names.h"

namespace refrain::library {

// Documents that were removed, one bit each. Threads may share one.
class Removed {
 public:
  Removed(const std::filesystem::path& library, const SegmentInfo& info, MemoryBudget& budget);
  bool operator[](std::uint64_t document) const { return !bits_.empty() && bits_[document]; }
  const std::vector<bool>& bits() const { return bits_; }  // none where none are

 private:
  Reservation memory_;
  std::vector<bool> bits_;
};

// Not thread-safe; a copy is for another thread.
struct Segment {
  Segment(const std::filesystem::path& library, const SegmentInfo& of, unsigned lanes, MemoryBudget& budget);

  SegmentInfo info;
  DocumentsReader documents;
  IdsReader ids;
  NamesReader names;
  std::shared_ptr<const Removed> removed;

  std::uint64_t bytes_read() const { return documents.bytes_read() + ids.bytes_read() + names.bytes_read(); }
};

// Reads every byte of a segment, and compares everything in it with everything else. Error(corrupt) names the first thing
// that is wrong. done(bytes) is called once in a while.
void check_segment(const std::filesystem::path& library, const SegmentInfo& info, const Layout& layout,
                   MemoryBudget& budget, const std::function<void(std::uint64_t bytes)>& done);

}  // namespace refrain::library
