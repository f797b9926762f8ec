// Makes further passes over what the cuts leave.
//
// One pass leaves repeats behind, because cutting joins text that was apart. If two documents lose different
// passages between the same sentences, the sentences are adjacent in both afterwards, and together they are longer
// than a window. So the remaining text is searched again until there is nothing to cut. Each pass cuts something,
// so this ends; kMostPasses limits it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp_space.h"
#include "refrain/context.h"
#include "refrain/substrings.h"
#include "refrain/text.h"
#include "verbs/run/columns/text_store.h"

namespace refrain::verbs::substrings {

inline constexpr std::size_t kMostPasses = 32;

// Adds to `cuts`, ranges of `text` in order, the cuts of further passes. `pass_bytes` contains the bytes that the
// first pass cut; those of every further pass are appended, with 0 for the last one if nothing is left. The
// remaining text is stored like `text`: in up to `memory_bytes` of memory, or in a temporary file.
void cut_until_clean(const SubstringsOptions& options, const run::TextStore& text, std::uint64_t memory_bytes,
                     const Context& context, MemoryBudget& budget, TempSpace& temp, Array<ByteRange>& cuts,
                     std::vector<std::uint64_t>& pass_bytes);

}  // namespace refrain::verbs::substrings
