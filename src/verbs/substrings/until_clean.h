// Further passes over what the cuts leave.
//
// One pass leaves repeats behind, because cutting brings text together that was apart: where two documents lose different
// passages between the same sentences, the sentences now stand side by side in both, and are longer together than a
// window. So what is left is searched again until there is nothing to cut. Each pass cuts something, so there is an end;
// kMostPasses keeps it near.
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

// Adds to `cuts`, ranges of `text` in order, what further passes cut. `pass_bytes` has what the first one cut, and gets what
// each of the others did, 0 for the last if nothing is left. What is left is held as `text` is: in up to `memory_bytes`, or
// in a temporary file.
void cut_until_clean(const SubstringsOptions& options, const run::TextStore& text, std::uint64_t memory_bytes,
                     const Context& context, MemoryBudget& budget, TempSpace& temp, Array<ByteRange>& cuts,
                     std::vector<std::uint64_t>& pass_bytes);

}  // namespace refrain::verbs::substrings
