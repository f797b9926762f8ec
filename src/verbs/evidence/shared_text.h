// Finds what two texts share: the windows of tokens that both contain, compared token by token.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/text.h"
#include "text/left_out.h"
#include "text/windows.h"

namespace refrain::verbs::evidence {

struct SharedText {
  struct Side {
    std::uint64_t tokens = 0;       // without stop words
    std::uint64_t windows = 0;      // distinct ones, without those left out
    std::vector<ByteRange> shared;  // the text of windows that the other contains, too; sorted, disjoint
  };
  Side a;
  Side b;
  std::uint64_t shared_windows = 0;  // distinct windows that both contain
  double similarity = 0;             // Jaccard, of the sets of windows
};

// The windows left out of each text when two are compared; null: none.
struct LeftOutOf {
  const text::LeftOut* a = nullptr;
  const text::LeftOut* b = nullptr;
};

// Windows are compared by their tokens, not by hashes, except for those left out. Throws Error(unsupported) for a
// text of more than 4 GiB.
SharedText shared_text(std::string_view a, std::string_view b, const text::FeaturePlan& plan, MemoryBudget& budget,
                       const Context& context, const LeftOutOf& left_out = {});

}  // namespace refrain::verbs::evidence
