// Merges consecutive segments into one, without the documents that were removed from them.
#pragma once

#include <filesystem>
#include <span>

#include "base/budget.h"
#include "engines/blot/manifest.h"
#include "refrain/context.h"

namespace refrain::verbs::index {

// `number` is that of the new segment, whose folder is made inside `folder`. Reads only posts, documents and stored
// texts. Takes memory for the bytes of one bucket, and a few bytes per document.
blot::SegmentInfo merge_segments(const std::filesystem::path& folder, const IndexLayout& layout,
                                 std::span<const blot::SegmentInfo> segments, std::uint64_t number,
                                 const Context& context, MemoryBudget& budget);

}  // namespace refrain::verbs::index
