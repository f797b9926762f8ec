// Makes a segment: documents in, in order of rank; files out. Keys go through a shuffle, so any number of documents fits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/library/layout.h"
#include "engines/library/manifest.h"
#include "refrain/context.h"

namespace refrain::library {

// Not thread-safe.
class SegmentWriter {
 public:
  // Files go into `folder`, which is there and empty. `expected_documents` is a guess, for the shuffle.
  SegmentWriter(const std::filesystem::path& folder, const Layout& layout, std::uint64_t expected_documents,
                const Context& context, MemoryBudget& budget, TempSpace& temp);
  ~SegmentWriter();

  // Before the documents that refer to them. Return their numbers.
  std::uint32_t add(const Origin& origin);
  std::uint32_t add(const TextFile& file);
  std::uint32_t add(const Source& source);
  void add(const NewDocument& document);
  // All documents there are, on all cores: fill(worker, i, document) is called for each i below `count`, ascending for
  // each worker, by many of them. What `document` refers to then stays until the worker's next call. Not beside add().
  void add_all(std::uint64_t count,
               const std::function<void(unsigned worker, std::uint64_t i, NewDocument& document)>& fill);

  // Writes what is left, and syncs. All but the number of the segment is filled in.
  SegmentInfo finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace refrain::library
