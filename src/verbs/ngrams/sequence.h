// Builds an index of n-grams with the algorithms of the literature: the text becomes a sequence of word numbers on
// disk, with the vocabulary in memory, and one of engines/ngram/literature/literature.h runs on it.
#pragma once

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/ngram/index/writer.h"
#include "refrain/context.h"
#include "refrain/ngrams.h"

namespace refrain::verbs::ngrams {

// Writes all documents and n-grams, and fills in their part of the report.
void build_by_literature(const NgramsOptions& options, const Context& context, MemoryBudget& budget, TempSpace& temp,
                         ngram::IndexWriter& writer, NgramsReport& report);

}  // namespace refrain::verbs::ngrams
