// The order in which documents are decided, and the policy that it follows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/dedup.h"
#include "refrain/text.h"

namespace refrain::verbs::dedup {

// Decides which of two documents is kept: gives every document a key, and the least key is best.

// The key of documents that lack the field, or are of a source that is not named.
inline constexpr std::uint64_t kLastKey = ~std::uint64_t{0};

class KeepRanker {
 public:
  explicit KeepRanker(const KeepPolicy& policy);

  bool in_input_order() const { return rank_ == Rank::first; }
  bool needs_field() const { return rank_ == Rank::newest || rank_ == Rank::greatest || rank_ == Rank::least; }

  // `field` is the value of the policy's field, empty if the document has none. `number` says that it was written
  // as a number and so is not a date.
  std::uint64_t key(std::uint64_t text_bytes, const std::string& source, std::string_view field, bool number) const;

 private:
  Rank rank_;
  std::unordered_map<std::string, std::uint64_t> sources_;
};

// Ranks: the order in which documents are decided, best first.
class Ranks {
 public:
  // Ranks documents in input order. Those in `first`, which is in input order, rank before all others.
  Ranks(MemoryBudget& budget, std::uint64_t documents, std::span<const DocId> first = {});
  // Ranks documents by `keys`, ties in input order; those in `first` before all others, too.
  Ranks(MemoryBudget& budget, const Array<std::uint64_t>& keys, std::span<const DocId> first = {});

  std::uint64_t size() const { return size_; }
  DocId document(std::uint64_t rank) const { return documents_.empty() ? rank : documents_[rank]; }
  std::uint64_t rank(DocId document) const { return ranks_.empty() ? document : ranks_[document]; }

 private:
  void rank_all(std::span<const DocId> first);

  std::uint64_t size_;
  Array<DocId> documents_;
  Array<std::uint64_t> ranks_;
};

}  // namespace refrain::verbs::dedup
