// The default way to build an index of n-grams: no sequence, no vocabulary, and no temporary disk while eight slices
// suffice, unless one n-gram is so frequent that its places do not fit in memory.
//
// Positions count tokens over the whole input, and every pass reads and tokenizes the input anew.
// 1. Count the tokens of all documents, and sample keys.
// 2. The range of keys is cut into slices that fit in memory. For each: a pass keeps its n-grams, eight bytes each
//    (engines/ngram/key_sample.h), in a shuffle; groups of m or more become candidates; another pass, or a few, verifies those
//    against the text (engines/ngram/resolver.h), and they are written. Slices come in key order, and so do n-grams.
// 3. Where that would take more than eight slices: a pass puts the n-grams of a slice into a counting filter, and only
//    those that may occur m times go to the shuffle, which then spills: at most four bytes a token at a time, a
//    frequent n-gram aside.
#pragma once

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/ngram/index/writer.h"
#include "refrain/context.h"
#include "refrain/ngrams.h"

namespace refrain::verbs::ngrams {

// Writes all documents and n-grams, and fills in what the report says of them. With `least_position_bits` a test can
// have what else takes tens of billions of tokens: positions that leave few bits to keys and groups.
void build_auto(const NgramsOptions& options, const Context& context, MemoryBudget& budget, TempSpace& temp,
                ngram::IndexWriter& writer, NgramsReport& report, unsigned least_position_bits = 1);

}  // namespace refrain::verbs::ngrams
