// Changing a library: one writer at a time, and every change is one commit.
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
#include "base/files/temp_space.h"
#include "engines/library/manifest.h"
#include "engines/library/segment_writer.h"
#include "refrain/context.h"

namespace refrain::library {

// Holds the lock of the library from its beginning to its end; Error(busy) where somebody else writes. What was never
// committed is cleared up, now and when it goes.
class Writing {
 public:
  // A library that is there.
  explicit Writing(const std::filesystem::path& folder);
  // The same, or a new one with this layout where there is none: it appears with its first commit. Error(invalid_argument)
  // where something else has the name. The layout of one that is there stays as it is. `id` is that of a new one, 32
  // hexadecimal digits; drawn where it is empty.
  Writing(const std::filesystem::path& folder, const Layout& layout, const std::string& id = {});
  ~Writing();

  // As it would be committed, but for segments that are being added.
  const Manifest& manifest() const;
  // A new segment. It is finished, and becomes the last one, with commit(), or where it is merged or removed from; finish()
  // is not the caller's. One without documents leaves its run alone in the manifest.
  SegmentWriter& add(std::string run, std::uint64_t expected_documents, const Context& context, MemoryBudget& budget,
                     TempSpace& temp);
  // Documents for which gone() is true are removed, in all segments. Returns how many were.
  std::uint64_t remove(const std::function<bool(std::string_view id, std::string_view source)>& gone,
                       const Context& context, MemoryBudget& budget);
  // The neighbouring segments [first, last) become one, without their removed documents; documents keep their order.
  void merge(std::size_t first, std::size_t last, const Context& context, MemoryBudget& budget, TempSpace& temp);
  // Neighbours are merged where there are many segments of about the same size.
  void merge_small(const Context& context, MemoryBudget& budget, TempSpace& temp);

  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Reads every byte, and compares everything with everything else. Error(corrupt) names the first thing that is wrong.
void check(const std::filesystem::path& folder, const Context& context, MemoryBudget& budget);

}  // namespace refrain::library
