// The answer to one document that is asked about: the passages that the index holds too, best first.
//
// Blots propose, tokens decide. The chosen windows of the query, and for heavy edits its rare pairs, are looked up; hits become
// chains and chains candidates (engines/blot/chains.h) with nothing of any document read; then candidates are taken in the
// order of their rank, the pieces of the documents around their chains are read and compared (compare.h), and what holds is told
// at once.
//
// What a candidate gives does not depend on what was told before, so pages end to end are one long answer. The same place
// can be found from two chains, where noise cut one in two: the one of the better rank tells it.
#pragma once

#include <string_view>

#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/query/crew.h"
#include "verbs/index/query/wanted.h"
#include "verbs/index/read/excluded_texts.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// So many documents that have changed are named.
inline constexpr std::size_t kChangedNamed = 10;

// A document that is asked about. Id and text are referred to.
struct AskedRecord {
  std::string_view id;
  std::string_view text;
  std::optional<DocId> own;                 // where it is one of the index: no answer
  std::optional<WantedBlocks> wanted = {};  // what it is compared with; none: everything

  bool is_pointless() const { return wanted && wanted->empty(); }
};

// The id is not needed before the passages are told: it is theirs as it is here.
QueryReport query_record(Snapshot& snapshot, const AskedRecord& asked, const QueryOptions& options,
                         const ExcludedTexts& excluded, const Context& context, MemoryBudget& budget, IdleThreads& idle,
                         PassageSink& sink);

}  // namespace refrain::verbs::index
