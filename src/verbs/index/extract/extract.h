// Extraction: finds all passages that occur more than once in an index, in stages (stages.h):
//
//   blots     which blots occur in several documents (anchors.cc)
//   tokens    reads all documents once: their tokens, and anchors where such blots occur (anchors.cc)
//   link      links equal anchors to the earliest one (links.cc)
//   grow      turns links into matches: two stretches that agree, including noise (links.cc)
//   edits     for heavy edits: finds matches that are not in order (edited.cc, already_reported.cc)
//   group     joins matches with the same stretch of one document into a passage with places (groups.cc)
//   compare   compares passages by their texts, those in most documents first, and reports them (output.cc)
//
// No stage is quadratic: an anchor has a few links, however many equal anchors there are.
#pragma once

#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

ExtractReport extract_passages(Snapshot& snapshot, const ExtractOptions& options, const Context& context,
                               PassageSink& sink);

}  // namespace refrain::verbs::index
