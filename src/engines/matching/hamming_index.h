// The Hamming index: known fingerprints in tables that are built once and queried often.
//
// A query within d bits of a stored fingerprint agrees with it in at least one of d + 1 blocks. Each block has a
// table: the fingerprints ordered by that block, and where each of its values begins. A query reads one short list
// per table. Equal fingerprints share one node. Added fingerprints first go into a list that every query scans; when
// the list is full, it becomes a set of tables of its own, which absorbs preceding sets that are not much larger. So
// there are never more than a few sets.
//
// find() and best() may be called by many threads at once; add() needs exclusive access.
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
  std::size_t size() const { return in_sets_ + pending_.size(); }
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
  std::vector<std::uint64_t> pending_;
};

}  // namespace refrain::matching
