// The public FingerprintIndex: a Hamming index with a budget of its own.
#include "base/budget.h"
#include "base/threads.h"
#include "engines/matching/hamming_index.h"
#include "refrain/hamming.h"

namespace refrain {

struct FingerprintIndex::Impl {
  Impl(std::span<const std::uint64_t> stored, unsigned distance, const Context& context)
      : budget(context), index(stored, distance, thread_count(context), budget) {}
  MemoryBudget budget;
  matching::HammingIndex index;
};

FingerprintIndex::FingerprintIndex(std::span<const std::uint64_t> stored, unsigned distance, const Context& context)
    : impl_(std::make_unique<Impl>(stored, distance, context)) {}
FingerprintIndex::~FingerprintIndex() = default;
FingerprintIndex::FingerprintIndex(FingerprintIndex&&) noexcept = default;
FingerprintIndex& FingerprintIndex::operator=(FingerprintIndex&&) noexcept = default;

void FingerprintIndex::find(std::uint64_t query, std::vector<Match>& out) const {
  impl_->index.find(query, out);
}
FingerprintIndex::Best FingerprintIndex::best(std::uint64_t query) const {
  return impl_->index.best(query);
}
void FingerprintIndex::add(std::uint64_t fingerprint) {
  impl_->index.add(fingerprint);
}
std::size_t FingerprintIndex::size() const {
  return impl_->index.size();
}
unsigned FingerprintIndex::distance() const {
  return impl_->index.distance();
}

}  // namespace refrain
