// The first pass of an extraction: reads all documents, stores their tokens, and makes anchors of the places where
// they may agree with other documents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verbs/index/extract/filter.h"
#include "verbs/index/extract/plan.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// The window shapes of the two kinds of anchors.
struct AnchorShapes {
  explicit AnchorShapes(const IndexLayout& layout);
  blot::BlotShape seed;
  blot::BlotShape window;
  bool both;  // otherwise every seed is a window, and there are only windows

  const blot::BlotShape& of(AnchorKind kind) const { return kind == AnchorKind::seed ? seed : window; }
};

// Determines where the tokens of all documents that are not removed will lie. Throws Error(unsupported) if a
// document has 2^32 tokens.
void lay_out(Snapshot& snapshot, TokenTable& table);

// Fills `tokens` and `anchors`. Documents whose text cannot be read are marked as missing and listed in the report,
// in order. Returns the number of bytes of text that were read.
std::uint64_t find_anchors(Snapshot& snapshot, const BlotFilter& filter, const Context& context, TokenTable& table,
                           run::TextStore& tokens, AnchorShuffle& anchors, ExtractReport& report);

}  // namespace refrain::verbs::index
