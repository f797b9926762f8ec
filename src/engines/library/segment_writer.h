// Writes the files of a segment from its documents, which come in order of rank. Keys go through a shuffle, so any
// number of documents fits.
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

}  // namespace refrain::library
