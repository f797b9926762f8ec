// Makes one segment of several neighbours, without what was removed from them.
#pragma once

#include <filesystem>
#include <span>

#include "base/budget.h"
#include "engines/blot/manifest.h"
#include "refrain/context.h"

namespace refrain::verbs::index {

// `number` is that of the new segment, whose folder is made here, inside `folder`. Only posts and documents are read, no
// text but what is stored. Takes memory for the bytes of a bucket, and a few bytes a document.
blot::SegmentInfo merge_segments(const std::filesystem::path& folder, const IndexLayout& layout,
                                 std::span<const blot::SegmentInfo> segments, std::uint64_t number,
                                 const Context& context, MemoryBudget& budget);

}  // namespace refrain::verbs::index
