#include "verbs/dedup/state/ranks.h"

#include <algorithm>
#include <numeric>

namespace refrain::verbs::dedup {

Ranks::Ranks(MemoryBudget& budget, std::uint64_t documents)
    : size_(documents), documents_(budget, "the ranks"), ranks_(budget, "the ranks") {}

Ranks::Ranks(MemoryBudget& budget, const Array<std::uint64_t>& keys)
    : size_(keys.size()), documents_(budget, "the ranks", keys.size()), ranks_(budget, "the ranks", keys.size()) {
  std::iota(documents_.begin(), documents_.end(), DocId{0});
  std::sort(documents_.begin(), documents_.end(),
            [&](DocId a, DocId b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
  for (std::uint64_t rank = 0; rank < size_; ++rank) ranks_[documents_[rank]] = rank;
}

}  // namespace refrain::verbs::dedup
