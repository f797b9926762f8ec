// The two ways to build an index of n-grams.
#pragma once

#include "base/budget.h"
#include "base/files/temp.h"
#include "engines/ngram/index/writer.h"
#include "refrain/context.h"
#include "refrain/ngrams.h"

namespace refrain::verbs::ngrams {

// The default way to build an index of n-grams. It needs no sequence and no vocabulary, and no temporary disk as
// long as eight slices suffice, unless one n-gram is so frequent that its places do not fit in memory.
//
// Positions count tokens over the whole input, and every pass reads and tokenizes the input again.
// 1. Count the tokens of all documents, and sample keys.
// 2. Cut the range of keys into slices that fit in memory. For each slice, a pass keeps its n-grams, eight bytes
//    each (engines/ngram/key_sample.h), in a shuffle; groups of m or more become candidates; one or a few more passes
//    verify them against the text (engines/ngram/resolver.h), and they are written. Slices come in key order, and so
//    do n-grams.
// 3. If that would take more than eight slices, a pass puts the n-grams of a slice into a counting filter, and only
//    those that may occur m times go to the shuffle, which then spills: at most four bytes per token at a time, except
//    for a very frequent n-gram.
//
// Writes all documents and n-grams, and fills in their part of the report. `least_position_bits` lets a test
// reproduce an input of tens of billions of tokens, whose positions leave few bits for keys and groups.
void build_auto(const NgramsOptions& options, const Context& context, MemoryBudget& budget, TempSpace& temp,
                ngram::IndexWriter& writer, NgramsReport& report, unsigned least_position_bits = 1);

// Builds an index of n-grams with the algorithms of the literature: the text becomes a sequence of word numbers on
// disk, with the vocabulary in memory, and one of engines/ngram/literature/literature.h runs on it.
//
// Writes all documents and n-grams, and fills in their part of the report.
void build_by_literature(const NgramsOptions& options, const Context& context, MemoryBudget& budget, TempSpace& temp,
                         ngram::IndexWriter& writer, NgramsReport& report);

}  // namespace refrain::verbs::ngrams
