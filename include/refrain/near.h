// near: finds every pair of documents whose fingerprints differ in few bits, and the clusters that these pairs form.
//
// Fingerprints estimate similarity. At kNearDistance, most near-duplicates are found, and nearly all pairs found
// share half of their text or more. With `verify`, the texts of each pair are compared too, and a pair that is less
// similar than `threshold` is not a match; this allows searching a larger distance.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/device.h"
#include "refrain/fingerprint.h"
#include "refrain/input.h"
#include "refrain/tables.h"

namespace [[gnu::visibility("default")]] refrain {

inline constexpr unsigned kNearDistance = 8;
inline constexpr unsigned kVerifiedDistance = 10;  // the command line's default with `verify`

struct NearOptions {
  InputOptions input = {};
  FingerprintOptions fingerprint = {};
  std::filesystem::path output = {};  // a directory; docs/format.md describes its files
  unsigned distance = kNearDistance;  // maximum number of differing bits, 0 to 63
  unsigned blocks = 0;                // 2 to 64 and above distance; 0: automatic. Changes the time, never the result.
  bool all_pairs = false;             // also every pair of documents with equal fingerprints
  // Compare the texts of each pair: the Jaccard similarity of a match's sets of windows is at least `threshold`.
  // Texts that do not fit in a quarter of the memory go to temporary files.
  bool verify = false;
  double threshold = 0.8;  // above 0, at most 1
  Tables tables = Tables::tsv;
  bool force = false;  // write into an existing directory
  // The device that computes and joins fingerprints. It changes the time, never the result. Error(unsupported) if a
  // GPU is requested but there is none, or it cannot compute such fingerprints.
  DeviceOptions device = {};
};

struct NearReport {
  ReadReport read;
  std::uint64_t too_short = 0;
  std::uint64_t distinct_fingerprints = 0;
  std::uint64_t candidates = 0;        // with verify: pairs whose texts were compared
  std::uint64_t matches = 0;           // rows of matches.tsv
  std::uint64_t clusters = 0;          // of two or more documents
  std::uint64_t clustered = 0;         // documents in them
  std::uint64_t largest_cluster = 0;   // documents in the largest
  std::string largest_representative;  // its first document's id
  std::vector<StageCost> stages;
  DeviceReport device;
  std::uint64_t temp_peak_bytes = 0;  // with verify
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;  // the limit
  unsigned threads = 0;
};

NearReport near(const NearOptions& options, const Context& context);

}  // namespace refrain
