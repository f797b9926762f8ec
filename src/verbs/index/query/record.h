// The answer to one query document: the passages that the index holds too, best first.
//
// Blots propose, tokens decide. The chosen windows of the query, and for heavy edits its rare pairs, are looked up;
// hits form chains and chains form candidates (engines/blot/chains.h) without any document being read. Then the
// candidates are taken in the order of their rank, the documents are read around their chains and compared
// (compare.h), and passages that hold are reported at once.
//
// The results of a candidate do not depend on what was reported before, so consecutive pages are one long answer. If
// noise splits a place into two chains, the chain of the better rank reports it.
#pragma once

#include <string_view>

#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/query/query_workers.h"
#include "verbs/index/query/wanted.h"
#include "verbs/index/read/excluded_texts.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// The report names at most this many documents that have changed.
inline constexpr std::size_t kChangedNamed = 10;

// A query document. Keeps references to the id and the text.
struct AskedRecord {
  std::string_view id;
  std::string_view text;
  std::optional<DocId> own;                 // set if it is a document of the index, which is no answer
  std::optional<WantedBlocks> wanted = {};  // what it is compared with; nullopt: everything

  bool has_no_documents() const { return wanted && wanted->empty(); }
};

// The id is only copied to the passages and hashed into cursors. A caller that learns it later may set it there.
QueryReport query_record(Snapshot& snapshot, const AskedRecord& asked, const QueryOptions& options,
                         const ExcludedTexts& excluded, const Context& context, MemoryBudget& budget, IdleThreads& idle,
                         PassageSink& sink);

}  // namespace refrain::verbs::index
