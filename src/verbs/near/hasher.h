// Hashes a batch of texts for near while the input is read: on a GPU if one is requested, otherwise on the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "engines/cuda/feed.h"
#include "refrain/fingerprint.h"
#include "refrain/near.h"

namespace refrain::verbs::near {

// The results, one per text.
struct Hashed {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint8_t> valid;   // 0 for a text that is too short to have a fingerprint
  std::vector<std::uint64_t> texts;  // half of each text's digest; empty without verify
};

// Threads may share one, if each calls it with a worker number of its own.
class Hasher {
 public:
  // Throws Error(unsupported) if a GPU is requested, but there is none or it does not support the options.
  Hasher(const NearOptions& options, unsigned threads, MemoryBudget& budget);

  void operator()(unsigned worker, const TextBatch& texts, Hashed& made);

  // Reports what the device did in `seconds` seconds.
  DeviceReport report(double seconds) const;

 private:
  const bool digests_;
  const Fingerprinter fingerprinter_;
  std::optional<cuda::Feed> feed_;  // not set: the CPU is used
};

}  // namespace refrain::verbs::near
