// near: every pair of documents whose fingerprints differ in few bits, and the clusters that those pairs form.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/fingerprint.h"
#include "refrain/input.h"
#include "refrain/stage_cost.h"

namespace [[gnu::visibility("default")]] refrain {

struct NearOptions {
  InputOptions input = {};
  FingerprintOptions fingerprint = {};
  std::filesystem::path output = {};  // a directory; see docs/format.md for what is written there
  unsigned distance = 3;              // the greatest number of differing bits, 0 to 63
  unsigned blocks = 0;                // 2 to 64 and above distance; 0 chooses. Changes the time, never the result.
  bool all_pairs = false;             // also pairs of documents whose fingerprints are equal, all of them
  bool force = false;                 // an existing output directory is written into
};

struct NearReport {
  ReadReport read;
  std::uint64_t too_short = 0;
  std::uint64_t distinct_fingerprints = 0;
  std::uint64_t matches = 0;           // rows of matches.tsv
  std::uint64_t clusters = 0;          // of two documents or more
  std::uint64_t clustered = 0;         // documents in them
  std::uint64_t largest_cluster = 0;   // documents in the largest
  std::string largest_representative;  // its first document's id
  std::vector<StageCost> stages;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;  // the ceiling that was kept
  unsigned threads = 0;
};

NearReport near(const NearOptions& options, const Context& context);

}  // namespace refrain
