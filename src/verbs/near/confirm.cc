#include "verbs/near/confirm.h"

#include <algorithm>
#include <string_view>

#include "base/threads.h"
#include "engines/sketch/feature_set.h"

namespace refrain::verbs::near {

namespace {

constexpr std::size_t kPiecePairs = 512;                 // pairs that a worker takes at a time
constexpr std::size_t kHeldText = std::size_t{1} << 20;  // larger text buffers are freed after use

// Returns options for the windows of the fingerprints, but with the strongest hash, whichever hash the fingerprints
// use.
FingerprintOptions windows_of(FingerprintOptions options) {
  options.hash = HashKind::xxh3;
  return options;
}

}  // namespace

Confirmer::Confirmer(const run::TextStore& texts, const NearOptions& options, const Context& context,
                     MemoryBudget& budget)
    : texts_(texts), context_(context), threshold_(options.threshold), plan_(windows_of(options.fingerprint)) {
  const unsigned threads = thread_count(context);
  const std::uint64_t share = budget.available() / 2 / threads;
  for (unsigned i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(plan_, budget, share));
}

void Confirmer::similarities(std::span<const Match> pairs, std::vector<double>& found) {
  found.assign(pairs.size(), 0);
  parallel_for(static_cast<unsigned>(workers_.size()), (pairs.size() + kPiecePairs - 1) / kPiecePairs,
               [&](unsigned worker, std::size_t piece) {
                 throw_if_stopped(context_);
                 const std::size_t end = std::min(pairs.size(), (piece + 1) * kPiecePairs);
                 for (std::size_t i = piece * kPiecePairs; i < end; ++i) {
                   const sketch::WindowSets::Set& first = set_of(*workers_[worker], pairs[i].first);
                   found[i] = sketch::jaccard_from(threshold_, first, set_of(*workers_[worker], pairs[i].second));
                 }
               });
}

const sketch::WindowSets::Set& Confirmer::set_of(Worker& worker, DocId document) const {
  if (const sketch::WindowSets::Set* known = worker.sets.find(document)) return *known;
  const ByteRange range = texts_.document(document);
  const auto bytes = static_cast<std::size_t>(range.end - range.begin);
  const sketch::WindowSets::Set& set = worker.sets.add(document, bytes, texts_.in_memory() ? 0 : bytes, [&] {
    return std::string_view(texts_.read(range.begin, bytes, worker.scratch), bytes);
  });
  if (worker.scratch.capacity() > kHeldText) std::vector<char>().swap(worker.scratch);
  return set;
}

}  // namespace refrain::verbs::near
