// What near makes of a batch of texts while the input is read: on a GPU if one is asked for, else on the CPU.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "engines/cuda/feed.h"
#include "refrain/fingerprint.h"
#include "refrain/near.h"

namespace refrain::verbs::near {

// By text.
struct Hashed {
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint8_t> valid;   // 0 for a text that is too short to have a fingerprint
  std::vector<std::uint64_t> texts;  // half of each text's digest; empty without verify
};

// Threads may share one; each calls with its own number.
class Hasher {
 public:
  // Error(unsupported) if a GPU is asked for, and there is none or it cannot do it.
  Hasher(const NearOptions& options, unsigned threads, MemoryBudget& budget);

  void operator()(unsigned worker, const TextBatch& texts, Hashed& made);

  // What the device did, in so many seconds.
  DeviceReport report(double seconds) const;

 private:
  const bool digests_;
  const Fingerprinter fingerprinter_;
  std::optional<cuda::Feed> feed_;  // none: the CPU
};

}  // namespace refrain::verbs::near
