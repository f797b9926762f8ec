// near: every pair of documents whose fingerprints differ in few bits, and the clusters they form.
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
  std::filesystem::path output = {};  // a directory; docs/format.md describes its files
  unsigned distance = 3;              // maximum number of differing bits, 0 to 63
  unsigned blocks = 0;                // 2 to 64 and above distance; 0: automatic. Changes the time, never the result.
  bool all_pairs = false;             // also every pair of documents with equal fingerprints
  bool force = false;                 // write into an existing directory
};

struct NearReport {
  ReadReport read;
  std::uint64_t too_short = 0;
  std::uint64_t distinct_fingerprints = 0;
  std::uint64_t matches = 0;           // rows of matches.tsv
  std::uint64_t clusters = 0;          // of two or more documents
  std::uint64_t clustered = 0;         // documents in them
  std::uint64_t largest_cluster = 0;   // documents in the largest
  std::string largest_representative;  // its first document's id
  std::vector<StageCost> stages;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;  // the limit
  unsigned threads = 0;
};

NearReport near(const NearOptions& options, const Context& context);

}  // namespace refrain
