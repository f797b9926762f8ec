// Reads everything in a segment except its keys.
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

// The removed documents, one bit each. Threads may share one.
class Removed {
 public:
  Removed(const std::filesystem::path& library, const SegmentInfo& info, MemoryBudget& budget);
  bool operator[](std::uint64_t document) const { return !bits_.empty() && bits_[document]; }
  const std::vector<bool>& bits() const { return bits_; }  // empty if no document is removed

 private:
  Reservation memory_;
  std::vector<bool> bits_;
};

// Not thread-safe; each thread needs a copy of its own.
struct Segment {
  Segment(const std::filesystem::path& library, const SegmentInfo& of, unsigned lanes, MemoryBudget& budget);

  SegmentInfo info;
  DocumentsReader documents;
  IdsReader ids;
  NamesReader names;
  std::shared_ptr<const Removed> removed;

  std::uint64_t bytes_read() const { return documents.bytes_read() + ids.bytes_read() + names.bytes_read(); }
};

// Reads every byte of a segment and checks all its files against each other. Throws Error(corrupt), which names the
// first problem. Calls done(bytes) from time to time.
void check_segment(const std::filesystem::path& library, const SegmentInfo& info, const Layout& layout,
                   MemoryBudget& budget, const std::function<void(std::uint64_t bytes)>& done);

}  // namespace refrain::library
