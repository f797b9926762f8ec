// Kernels for pairs: how similar two texts are, which fingerprints are close, and which clusters the pairs form.
//
// The rules of kernels.h for memory, threads and stopping apply here too.
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
  FingerprintOptions windows = {.window = 5};  // the same as for the keys by which the pairs met
  // The result for a pair that is less similar than this is 0; finding that out takes less time than the exact value.
  double threshold = 0;
};

// The Jaccard similarity of the sets of windows of left[pair.first] and right[pair.second], as dedup computes it: the
// number of windows in both, divided by the number of windows in either. result[i] belongs to pairs[i]. It is NaN,
// which passes no threshold, if one of the texts is null or too short to have a window.
//
// Sort the pairs: the windows of a text are cached for the pairs that follow, as far as memory allows. Throws
// Error(invalid_argument) if a pair lies outside the columns.
std::vector<double> similarities(const TextColumn& left, const TextColumn& right, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context);
// Pairs within one column.
std::vector<double> similarities(const TextColumn& texts, std::span<const IndexPair> pairs,
                                 const SimilarityOptions& options, const Context& context);

// ---- Fingerprints from any source.

struct HammingOptions {
  unsigned distance = 3;  // maximum number of differing bits, 0 to 63
  // By default, the first of n equal fingerprints represents them, and the others are paired with it alone: the
  // clusters are the same, and the number of pairs stays small. With all_pairs, each of the n is paired with each of
  // the others and with every fingerprint that is close.
  bool all_pairs = false;
  // One byte per fingerprint, as Fingerprinter::batch() writes them: fingerprints whose byte is 0 are ignored. Empty:
  // all fingerprints count.
  std::span<const std::uint8_t> valid = {};
};

struct HammingPair {
  std::uint64_t first = 0;  // positions in the list, first < second
  std::uint64_t second = 0;
  unsigned difference = 0;  // differing bits
  friend auto operator<=>(const HammingPair&, const HammingPair&) = default;
};

// Returns every pair within the distance, in ascending order. Reports progress.
std::vector<HammingPair> hamming_pairs(std::span<const std::uint64_t> fingerprints, const HammingOptions& options,
                                       const Context& context);
// The same without holding all pairs in memory: `found` receives them in portions, in any order, from any thread, one
// call at a time.
void hamming_pairs(std::span<const std::uint64_t> fingerprints, const HammingOptions& options, const Context& context,
                   const std::function<void(std::span<const HammingPair>)>& found);

// ---- Clusters.

// Connected components: for each of the `nodes` nodes, the least node of its component. Runs on one thread, in nearly
// constant time per edge. Throws Error(invalid_argument) for an edge to a node that does not exist.
std::vector<std::uint64_t> components(std::uint64_t nodes, std::span<const IndexPair> edges, const Context& context);

}  // namespace refrain
