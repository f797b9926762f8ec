// What two texts share: the windows of tokens that both hold, compared token by token.
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
    std::uint64_t tokens = 0;       // less the stop words
    std::uint64_t windows = 0;      // distinct, less those left out
    std::vector<ByteRange> shared;  // what lies in windows that the other holds too; sorted, disjoint
  };
  Side a;
  Side b;
  std::uint64_t shared_windows = 0;  // distinct windows that both hold
  double similarity = 0;             // Jaccard, of the sets of windows
};

// What is left out of each of two texts when they are compared; null: nothing.
struct LeftOutOf {
  const text::LeftOut* a = nullptr;
  const text::LeftOut* b = nullptr;
};

// No hash is believed, but for what is left out. Error(unsupported) for a text of more than 4 GiB.
SharedText shared_text(std::string_view a, std::string_view b, const text::FeaturePlan& plan, MemoryBudget& budget,
                       const Context& context, const LeftOutOf& left_out = {});

}  // namespace refrain::verbs::evidence
