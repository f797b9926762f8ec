// Kernels for what has met: how similar pairs of texts are, which fingerprints are close, what hangs together.
//
// Memory, threads and stopping are as kernels.h says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "refrain/context.h"
#include "refrain/documents.h"
#include "refrain/fingerprint.h"

namespace [[gnu::visibility("default")]] refrain {

struct IndexPair {
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  friend auto operator<=>(const IndexPair&, const IndexPair&) = default;
};

struct SimilarityOptions {
  FingerprintOptions windows = {.window = 5};  // as for the keys that made the pairs meet
  // What is less similar gives 0, and is sooner known.
  double threshold = 0;
};

// The Jaccard similarity of the sets of windows of left[pair.first] and right[pair.second], as dedup computes it: the
// windows that both have, of all that either has. result[i] is that of pair i; NaN, which is not at or above any
// threshold, where one of the two is null or has no window at all.
//
// Each text's windows are made once for pairs that follow each other, so sort them. Error(invalid_argument) for a pair
// that is not in the columns.
std::vector<double> similarities(const TextColumn& left, const TextColumn& right, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context);
// Pairs within one column.
std::vector<double> similarities(const TextColumn& texts, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context);

// ---- Fingerprints, wherever they come from.

struct HammingOptions {
  unsigned distance = 3;  // the most bits that may differ, 0 to 63
  // Of n equal fingerprints, all n (n - 1) / 2 pairs, and all pairs with those close to them. Else the first of them
  // stands for all: the others are paired with it alone. Either way the same fingerprints hang together.
  bool all_pairs = false;
  // Fingerprints where this is 0 are left out: what Fingerprinter::batch() writes. None: all count.
  std::span<const std::uint8_t> valid = {};
};

struct HammingPair {
  std::uint64_t first = 0;  // places in the list, first < second
  std::uint64_t second = 0;
  unsigned difference = 0;  // bits
  friend auto operator<=>(const HammingPair&, const HammingPair&) = default;
};

// Every pair within the distance, ascending. Reports progress.
std::vector<HammingPair> hamming_pairs(std::span<const std::uint64_t> fingerprints, const HammingOptions& options,
                                       const Context& context);
// The same in portions, in no particular order and without a place for all of them in memory. One call at a time, from
// any thread.
void hamming_pairs(std::span<const std::uint64_t> fingerprints, const HammingOptions& options, const Context& context,
                   const std::function<void(std::span<const HammingPair>)>& found);

// ---- Clusters.

// The connected components of a graph: for each of the `nodes`, the least node that edges lead to, itself where that is
// the least. Runs on one thread: nearly constant time an edge. Error(invalid_argument) for an edge to a node that is
// not there.
std::vector<std::uint64_t> components(std::uint64_t nodes, std::span<const IndexPair> edges, const Context& context);

}  // namespace refrain
