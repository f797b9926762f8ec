// The Hamming index: known fingerprints in tables that are made once and asked often.
//
// A query within d bits of a stored fingerprint agrees with it in at least one of d + 1 blocks. There is a table for
// each block: the fingerprints ordered by that block, and where each value of it begins; a query reads one short list a
// table. Equal fingerprints are one node. Added fingerprints wait in a list that every query scans; when the list is
// full it becomes a set of tables of its own, and sets that are not much larger than what follows them are merged with
// it, so there are never more than a few.
//
// Questions may come from many threads at once; add() must be alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/hamming.h"

namespace refrain::matching {

class HammingIndex {
 public:
  using Match = FingerprintIndex::Match;
  using Best = FingerprintIndex::Best;
  struct Entry {
    std::uint64_t hash;
    std::uint64_t index;
    friend auto operator<=>(const Entry&, const Entry&) = default;
  };

  HammingIndex(std::span<const std::uint64_t> stored, unsigned distance, unsigned threads, MemoryBudget& budget);
  ~HammingIndex();

  // As in FingerprintIndex.
  void find(std::uint64_t query, std::vector<Match>& out) const;
  Best best(std::uint64_t query) const;
  void add(std::uint64_t fingerprint);
  std::size_t size() const { return in_sets_ + waiting_.size(); }
  unsigned distance() const { return distance_; }

 private:
  class TableSet;
  template <class Hit>
  void find_nodes(std::uint64_t query, Hit hit) const;
  void build(Array<Entry> entries);

  MemoryBudget& budget_;
  unsigned distance_;
  unsigned threads_;
  std::vector<std::unique_ptr<TableSet>> sets_;
  std::size_t in_sets_;
  std::vector<std::uint64_t> waiting_;
};

}  // namespace refrain::matching
