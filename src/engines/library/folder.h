// Changes a library. There is one writer at a time, and every change is one commit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/files/temp.h"
#include "engines/library/layout.h"
#include "engines/library/segment.h"
#include "refrain/context.h"

namespace refrain::library {

// Whether there is a library. Throws Error(invalid_argument) if something else has the name, so that none can be made.
bool has_library(const std::filesystem::path& folder);

// Holds the lock of the library during its lifetime; throws Error(busy) if another process is writing. The
// constructor and the destructor delete what was never committed.
class LibraryWriter {
 public:
  // Opens an existing library.
  explicit LibraryWriter(const std::filesystem::path& folder);
  // Opens the library or, if there is none, prepares a new one with this layout, which appears with its first
  // commit. An existing library keeps its layout. Throws Error(invalid_argument) if something else has the name.
  // `id` is the id of a new library, 32 hexadecimal digits; if it is empty, a random one is drawn.
  LibraryWriter(const std::filesystem::path& folder, const Layout& layout, const std::string& id = {});
  ~LibraryWriter();

  // Discards everything that was not committed and reads the manifest again, without releasing the lock. Call it
  // after a failure. The library must have been committed once.
  void restart();

  // Returns the manifest that commit() would write, without segments that are still being added.
  const Manifest& manifest() const;
  // Begins a new segment. It is finished and becomes the last one at the next commit(), merge or removal; the
  // caller must not call finish(). If the segment has no documents, only its run is recorded in the manifest.
  SegmentWriter& add(std::string run, std::uint64_t expected_documents, const Context& context, MemoryBudget& budget,
                     TempSpace& temp);
  // Removes the documents for which gone() returns true from all segments. Returns how many were removed.
  std::uint64_t remove(const std::function<bool(std::string_view id, std::string_view source)>& gone,
                       const Context& context, MemoryBudget& budget);
  // Merges the neighboring segments [first, last) into one without their removed documents. Documents keep their
  // order.
  void merge(std::size_t first, std::size_t last, const Context& context, MemoryBudget& budget, TempSpace& temp);
  // Merges neighboring segments if there are many of about the same size.
  void merge_small(const Context& context, MemoryBudget& budget, TempSpace& temp);

  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads every byte and checks all files against each other. Throws Error(corrupt), which names the first problem.
void check(const std::filesystem::path& folder, const Context& context, MemoryBudget& budget);

}  // namespace refrain::library
