// A segment of a library: writes it, reads it, and merges several into one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "engines/library/documents.h"
#include "engines/library/ids.h"
#include "engines/library/layout.h"
#include "engines/library/names.h"
#include "refrain/context.h"

namespace refrain::library {

// Writes the files of a segment from its documents, which come in order of rank. Keys go through a shuffle, so any
// number of documents fits.
//
// Not thread-safe.
class SegmentWriter {
 public:
  // Writes into `folder`, which must exist and be empty. `expected_documents` is an estimate for the shuffle.
  SegmentWriter(const std::filesystem::path& folder, const Layout& layout, std::uint64_t expected_documents,
                const Context& context, MemoryBudget& budget, TempSpace& temp);
  ~SegmentWriter();

  // Call these before adding documents that refer to the rows. They return the numbers of the rows.
  std::uint32_t add(const Origin& origin);
  std::uint32_t add(const TextFile& file);
  std::uint32_t add(const Source& source);
  void add(const NewDocument& document);
  // Adds all documents, on all cores. fill(worker, i, document) is called for each i below `count`, by several
  // workers at once; each worker gets ascending values of i. The memory that `document` refers to must stay valid
  // until the worker's next call. Use either this or add(document), not both.
  void add_all(std::uint64_t count,
               const std::function<void(unsigned worker, std::uint64_t i, NewDocument& document)>& fill);

  // Writes what is left and syncs it. Fills in everything but the number and the run of the segment.
  SegmentInfo finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads everything in a segment except its keys.

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

// Merges neighboring segments into one, without the documents that were removed from them.
//
// `number` is the number of the new segment; its folder is made inside `library`. Everything is read and written
// once, in order. Memory is reserved for names and, if documents were removed from a segment, a fifth of a byte per
// document.
SegmentInfo merge_segments(const std::filesystem::path& library, const Layout& layout,
                           std::span<const SegmentInfo> segments, std::uint64_t number, const Context& context,
                           MemoryBudget& budget, TempSpace& temp);

}  // namespace refrain::library
