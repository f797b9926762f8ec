// Extracting: all passages that return inside an index.
//
//   blots     which occur in several documents (extract_filter)
//   tokens    all documents, once: their tokens, and anchors where such blots are (extract_anchors)
//   link      equal anchors are linked to the earliest one (extract_links)
//   grow      links become matches: two stretches that agree, noise and all
//   edits     for heavy edits: matches that no order shows (extract_edited)
//   group     matches with the same stretch of one document become a passage with places (extract_groups)
//   compare   passages, those of most documents first, are compared by their texts and handed out (extract_output)
//
// Nothing is quadratic: an anchor has a few links, however many there are like it.
#pragma once

#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

ExtractReport extract_passages(Snapshot& snapshot, const ExtractOptions& options, const Context& context,
                               PassageSink& sink);

}  // namespace refrain::verbs::index
