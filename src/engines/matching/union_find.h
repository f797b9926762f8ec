// Union-find: connected components, identified by their least member.
//
// The root of a component is always its least member, so numbering components needs no second pass and does not
// depend on the order of the edges. Paths are halved as they are followed, which makes the time per edge nearly
// constant in practice.
#pragma once

#include <cstdint>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::matching {

// Not thread-safe.
class UnionFind {
 public:
  UnionFind(MemoryBudget& budget, std::uint64_t size) : parent_(budget, "the clusters", size) {
    for (std::uint64_t i = 0; i < size; ++i) parent_[i] = i;
  }

  // Returns the least member of the component that contains `x`.
  std::uint64_t find(std::uint64_t x) {
    while (parent_[x] != x) {
      parent_[x] = parent_[parent_[x]];
      x = parent_[x];
    }
    return x;
  }

  void unite(std::uint64_t a, std::uint64_t b) {
    a = find(a);
    b = find(b);
    if (a < b)
      parent_[b] = a;
    else
      parent_[a] = b;
  }

 private:
  Array<std::uint64_t> parent_;
};

}  // namespace refrain::matching
