// Ranks: the order in which documents are decided, best first.
#pragma once

#include <cstdint>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/text.h"

namespace refrain::verbs::dedup {

class Ranks {
 public:
  // Ranks documents in input order.
  Ranks(MemoryBudget& budget, std::uint64_t documents);
  // Ranks documents by `keys`, ties in input order.
  Ranks(MemoryBudget& budget, const Array<std::uint64_t>& keys);

  std::uint64_t size() const { return size_; }
  DocId document(std::uint64_t rank) const { return documents_.empty() ? rank : documents_[rank]; }
  std::uint64_t rank(DocId document) const { return ranks_.empty() ? document : ranks_[document]; }

 private:
  std::uint64_t size_;
  Array<DocId> documents_;
  Array<std::uint64_t> ranks_;
};

}  // namespace refrain::verbs::dedup
