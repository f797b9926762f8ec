// The distinct fingerprints of a run, and the documents that have them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/text.h"

namespace refrain::verbs::near {

struct Entry {
  std::uint64_t hash;
  DocId document;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};
struct HashOfEntry {
  std::uint64_t operator()(const Entry& entry) const { return entry.hash; }
};

// Documents with equal fingerprints form one node, represented by its first document.
struct Nodes {
  explicit Nodes(MemoryBudget& budget)
      : hashes(budget, "the distinct fingerprints"),
        firsts(budget, "the distinct fingerprints"),
        members(budget, "the documents by fingerprint"),
        begins(budget, "the documents by fingerprint"),
        others(budget, "the documents by fingerprint") {}
  Array<std::uint64_t> hashes;  // ascending
  Array<DocId> firsts;
  // Only with all pairs: the documents of node n are members[begins[n], begins[n + 1]).
  Array<DocId> members;
  Array<std::uint64_t> begins;
  // Only with verify: the documents, besides the first, that represent a fingerprint; ascending.
  Array<Entry> others;

  std::span<const Entry> others_of(std::uint64_t hash) const {
    const auto found = std::equal_range(others.begin(), others.end(), Entry{hash, 0},
                                        [](const Entry& a, const Entry& b) { return a.hash < b.hash; });
    return {found.first, found.second};
  }
  std::size_t find(std::uint64_t hash) const {
    return static_cast<std::size_t>(std::lower_bound(hashes.begin(), hashes.end(), hash) - hashes.begin());
  }
};

}  // namespace refrain::verbs::near
