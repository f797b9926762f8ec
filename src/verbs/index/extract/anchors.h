// The first pass of extracting: all documents are read, their tokens kept, and the places where they may agree with
// others become anchors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verbs/index/extract/filter.h"
#include "verbs/index/extract/plan.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// What anchors of an index look like.
struct AnchorShapes {
  explicit AnchorShapes(const IndexLayout& layout);
  blot::BlotShape seed;
  blot::BlotShape window;
  bool both;  // else every seed is a window, and there are windows only

  const blot::BlotShape& of(AnchorKind kind) const { return kind == AnchorKind::seed ? seed : window; }
};

// Where all live documents will lie. Error(unsupported) where a document has 2^32 tokens.
void lay_out(Snapshot& snapshot, TokenTable& table);

// Fills `tokens` and `anchors`. Documents whose text cannot be had are marked as missing, and noted in the report, in order.
// Returns the bytes of text that were read.
std::uint64_t find_anchors(Snapshot& snapshot, const BlotFilter& filter, const Context& context, TokenTable& table,
                           run::TextStore& tokens, AnchorShuffle& anchors, ExtractReport& report);

}  // namespace refrain::verbs::index
