// Merges neighboring segments into one, without the documents that were removed from them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/library/manifest.h"
#include "refrain/context.h"

namespace refrain::library {

// `number` is the number of the new segment; its folder is made inside `library`. Everything is read and written
// once, in order. Memory is reserved for names and, if documents were removed from a segment, a fifth of a byte per
// document.
SegmentInfo merge_segments(const std::filesystem::path& library, const Layout& layout,
                           std::span<const SegmentInfo> segments, std::uint64_t number, const Context& context,
                           MemoryBudget& budget, TempSpace& temp);

}  // namespace refrain::library
