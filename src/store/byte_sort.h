// Sorts records whose keys are byte strings of any length, inside the memory budget, spilling sorted runs to temporary
// files past it.
//
// For results that people want in an order, which no 64-bit key gives. Where only the first few are wanted (`limit`),
// only those are kept: memory and disk are bounded by them.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp_space.h"
#include "refrain/context.h"

namespace refrain::store {

struct ByteSortOptions {
  std::string what = "the rows";  // for messages
  std::uint64_t memory_bytes;     // for records that wait to be sorted, and for merging
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

// Not thread-safe. Key and value of a record together are below 4 GiB.
class ByteSort {
 public:
  using Emit = std::function<void(std::string_view key, std::string_view value)>;

  ByteSort(ByteSortOptions options, MemoryBudget& budget, TempSpace& temp);

  // Keys compare as unsigned bytes, a prefix before what it begins. No two are equal.
  void add(std::string_view key, std::string_view value);

  // Whether a record with this key could be among the first `limit`: for callers who would take trouble to make one.
  bool wants(std::string_view key) const { return !have_bound_ || key < bound_; }

  // All records, or the first `limit`, in the order of their keys. Ends the life of this.
  void drain(const Context& context, const Emit& emit);

 private:
  struct Run {
    TempFile file;
    std::uint64_t records;
  };
  class RunReader;

  std::string_view key_at(std::uint64_t offset) const;
  void make_room(std::size_t bytes);
  void sort();
  // Keeps the first `limit` of the sorted records.
  void trim();
  void spill();
  template <class Emit_>
  void merge(const Context& context, std::vector<Run> runs, Emit_ emit);
  std::uint64_t buffered() const;

  ByteSortOptions options_;
  TempSpace& temp_;
  Array<char> bytes_;             // records: key size and value size (4 bytes each), key, value
  Array<char> spare_;             // to move kept records into
  Array<std::uint64_t> offsets_;  // where they begin
  std::vector<Run> runs_;
  bool have_bound_ = false;
  std::string bound_;  // a key that `limit` records are below
};

}  // namespace refrain::store
