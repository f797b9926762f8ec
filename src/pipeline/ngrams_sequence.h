// The literature's ways to build an index of n-grams: the text becomes a sequence of word numbers on disk, with the
// vocabulary in memory, and one of ngram/literature.h goes to work on it.
#pragma once

#include "base/budget.h"
#include "base/temp_space.h"
#include "ngram/index_writer.h"
#include "refrain/context.h"
#include "refrain/ngrams.h"

namespace refrain {

// Writes all documents and n-grams, and fills in what the report says of them.
void build_by_literature(const NgramsOptions& options, const Context& context, MemoryBudget& budget, TempSpace& temp,
                         IndexWriter& writer, NgramsReport& report);

}  // namespace refrain
