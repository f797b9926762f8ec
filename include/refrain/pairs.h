// Kernels for pairs: how similar two texts are, which fingerprints are close, and which clusters the pairs form.
//
// Memory, threads and stopping work as kernels.h says.
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
  // Pairs less similar than this give 0, which takes less time to find out.
  double threshold = 0;
};

// The Jaccard similarity of the sets of windows of left[pair.first] and right[pair.second], as dedup computes it: the
// windows in both, divided by the windows in either. result[i] belongs to pairs[i]. It is NaN, which no threshold lets
// through, if one of the texts is null or too short to have a window.
//
// Sort the pairs: the windows of a text are remembered for the next ones, as far as memory allows.
// Error(invalid_argument) for a pair outside the columns.
std::vector<double> similarities(const TextColumn& left, const TextColumn& right, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context);
// Pairs within one column.
std::vector<double> similarities(const TextColumn& texts, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context);

// ---- Fingerprints, wherever they come from.

struct HammingOptions {
  unsigned distance = 3;  // the most bits that may differ, 0 to 63
  // By default the first of n equal fingerprints represents them: the others are paired with it alone, so that the
  // clusters are right and the number of pairs stays small. With all_pairs, each of the n is paired with each of the
  // others and with all that are close.
  bool all_pairs = false;
  // As Fingerprinter::batch() writes it: fingerprints with 0 here are left out. Empty: all count.
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
// The same without holding all pairs in memory: `found` gets them in portions, in any order, from any thread, one call
// at a time.
void hamming_pairs(std::span<const std::uint64_t> fingerprints, const HammingOptions& options, const Context& context,
                   const std::function<void(std::span<const HammingPair>)>& found);

// ---- Clusters.

// Connected components: for each of the `nodes`, the least node of its component. Runs on one thread, in nearly constant
// time per edge. Error(invalid_argument) for an edge to a node that does not exist.
std::vector<std::uint64_t> components(std::uint64_t nodes, std::span<const IndexPair> edges, const Context& context);

}  // namespace refrain
