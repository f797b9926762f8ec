// The batch kernel: connected components.
#include <fmt/format.h>

#include "base/budget.h"
#include "base/threads.h"
#include "engines/matching/union_find.h"
#include "refrain/error.h"
#include "refrain/pairs.h"

namespace refrain {

std::vector<std::uint64_t> components(std::uint64_t nodes, std::span<const IndexPair> edges, const Context& context) {
  MemoryBudget budget(context);
  if (nodes > budget.ceiling() / sizeof(std::uint64_t))
    throw Error(Errc::over_budget, fmt::format("components: {} nodes do not fit into {}; give more memory", nodes,
                                               human_bytes(budget.ceiling())));
  const Reservation result = budget.reserve(nodes * sizeof(std::uint64_t), "the clusters");
  matching::UnionFind clusters(budget, nodes);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (i % (1U << 20U) == 0) throw_if_stopped(context);
    const auto [first, second] = edges[i];
    if (first >= nodes || second >= nodes)
      throw Error(Errc::invalid_argument,
                  fmt::format("components: there is no edge ({}, {}) in a graph of {} nodes", first, second, nodes));
    clusters.unite(first, second);
  }
  std::vector<std::uint64_t> least(nodes);
  for (std::uint64_t i = 0; i < nodes; ++i) least[i] = clusters.find(i);
  return least;
}

}  // namespace refrain
