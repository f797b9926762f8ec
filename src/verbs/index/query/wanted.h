// Which documents of the index a query is compared with: all of them, some (`with`), or different ones for each query
// (`pairs`).
//
// Places in other documents are dropped as soon as they are looked up (hits.h). The rest of an answer is not
// affected: what two documents share is the same as in the complete answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "engines/blot/chains.h"
#include "refrain/context.h"
#include "refrain/digest.h"
#include "refrain/index.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Ranges of blocks of documents, ascending. Ranges that touch are merged.
using WantedBlocks = std::vector<blot::DocumentBlocks>;

// Threads may share one.
class WantedDocuments {
 public:
  // Reads the rows. Throws Error(not_found) if an id in options.with is unknown; unknown ids in rows are counted.
  WantedDocuments(Snapshot& snapshot, const QueryOptions& options, const Context& context, MemoryBudget& budget);

  bool are_all() const { return !with_ && !pairs_; }
  bool by_query() const { return pairs_.has_value(); }
  // The blocks for the query with this id. nullopt: all. Empty: none.
  std::optional<WantedBlocks> of(Snapshot& snapshot, std::string_view query);
  // Reports how many of the rows had no document or, once all queries have been asked for, no query.
  void tell(QueryReport& report) const;

 private:
  struct Row {
    Digest query;
    DocId document = 0;
    friend auto operator<=>(const Row&, const Row&) = default;
  };
  // Rows "query id<TAB>document id", sorted. The ids of queries are distinguished by 128 bits of their hashes.
  struct Pairs {
    explicit Pairs(MemoryBudget& budget) : rows(budget, "the pairs of a query"), met(budget, "the pairs of a query") {}
    Array<Row> rows;
    Array<std::uint8_t> met;  // by the first row of a query: 1 once it was asked for
    std::uint64_t unknown = 0;
    std::vector<std::string> named;  // the first few of them
  };
  void read(Snapshot& snapshot, const std::string& path, const Context& context);
  void add(Snapshot& snapshot, std::string_view line, const std::string& path, std::uint64_t number);

  std::optional<WantedBlocks> with_;
  std::optional<Pairs> pairs_;
};

}  // namespace refrain::verbs::index
