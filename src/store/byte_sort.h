// Sorts records whose keys are byte strings of any length, within the memory budget. If they need more memory, sorted
// runs are spilled to temporary files.
//
// For results in an order meant for people, which a 64-bit key cannot express. If only the first few are wanted
// (`limit`), only those are kept, which bounds memory and disk.
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
#include "base/files/temp.h"
#include "refrain/context.h"

namespace refrain::store {

struct ByteSortOptions {
  std::string what = "the rows";  // for error messages
  std::uint64_t memory_bytes;     // for records that wait to be sorted, and for merging
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

// Not thread-safe. The key and the value of a record must be below 4 GiB together.
class ByteSort {
 public:
  using Emit = std::function<void(std::string_view key, std::string_view value)>;

  ByteSort(ByteSortOptions options, MemoryBudget& budget, TempSpace& temp);

  // Adds a record. Keys compare as unsigned bytes, with a prefix before longer keys. All keys must be different.
  void add(std::string_view key, std::string_view value);

  // Whether a record with this key could be among the first `limit`, for callers for whom making a record is costly.
  bool wants(std::string_view key) const { return !have_bound_ || key < bound_; }

  // Calls emit() for all records, or the first `limit`, in the order of their keys. This object cannot be used
  // afterwards.
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
  Array<char> spare_;             // where trim() copies the records that it keeps
  Array<std::uint64_t> offsets_;  // where the records begin
  std::vector<Run> runs_;
  bool have_bound_ = false;
  std::string bound_;  // if have_bound_: at least `limit` records have keys up to this one
};

}  // namespace refrain::store
