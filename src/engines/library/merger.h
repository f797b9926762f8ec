// Makes one segment of several neighbours, without what was removed from them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/library/manifest.h"
#include "refrain/context.h"

namespace refrain::library {

// `number` is that of the new segment, whose folder is made here, inside `library`. Everything is read and written once,
// in order. Takes memory for names, and a fifth of a byte a document where some were removed.
SegmentInfo merge_segments(const std::filesystem::path& library, const Layout& layout,
                           std::span<const SegmentInfo> segments, std::uint64_t number, const Context& context,
                           MemoryBudget& budget, TempSpace& temp);

}  // namespace refrain::library
