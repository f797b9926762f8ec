// A GPU, as the rest of the program sees it.
//
// The kernels (kernels/) are a module of their own, librefrain_cuda.so, which is loaded when a device is asked for: one
// build of the program runs on machines with a GPU and without. What is declared here is all that both sides know. Tests
// put a stand-in behind it that computes on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "refrain/device.h"
#include "refrain/digest.h"
#include "refrain/fingerprint.h"

namespace refrain::cuda {

// What a device makes of a text: a fingerprint, or, where there are factors, what is kept of a MinHash signature
// (engines/sketch/minhash.h): the low byte of each lane, and the keys of its bands (engines/matching/bands.h), 32 bits each.
struct SketchRule {
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
  HashKind hash = HashKind::xxh3;
  unsigned window = 3;
  std::uint64_t seed = 0;
  bool tie_sets_bit = false;
  std::vector<std::uint32_t> factors = {};  // one a lane
  std::vector<std::uint32_t> addends = {};
  unsigned bands = 0;
  unsigned rows = 0;     // of a band
  bool digests = false;  // also make a digest of every text (include/refrain/digest.h)

  std::size_t result_bytes() const {
    return factors.empty() ? sizeof(std::uint64_t) : factors.size() + bands * sizeof(std::uint32_t);
  }
  // Whether texts with other characters than ASCII are left to the CPU.
  bool ascii_only() const { return tokenizer != TokenizerKind::alpha; }
};

// The rule for fingerprints under these options; empty, with the reason in `why`, if a device cannot make them.
std::optional<SketchRule> sketch_rule(const FingerprintOptions& options, std::string& why);
inline constexpr unsigned kMostWindow = 8;
inline constexpr unsigned kSignatureLanes = 128;  // the only number of factors that a device knows

// What a lane holds at a time.
struct LaneSize {
  std::size_t text_bytes = 0;
  std::size_t texts = 0;
};

enum class Outcome : std::uint8_t { too_short = 0, made = 1, for_cpu = 2 };  // that and above

// One thread's way to the device: a stream of its own, and memory that the device can fetch from by itself. Every call may
// throw Error(io), which names the device. Not thread-safe.
class Lane {
 public:
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  virtual ~Lane() = default;

  // Where the caller puts texts, end to end, and where each ends: text i begins at offsets()[i], the first one at 0.
  virtual std::span<char> text() = 0;
  virtual std::span<std::uint64_t> offsets() = 0;  // one more than the texts it has room for
  // Sends that many texts on their way, and returns at once.
  virtual void start(std::size_t texts) = 0;
  // Returns when they are done. Results lie end to end, and mean something for texts that are `made`.
  virtual void wait() = 0;
  virtual const std::uint8_t* results() const = 0;
  virtual const std::uint8_t* outcomes() const = 0;
  virtual const Digest* digests() const = 0;  // of all texts, whatever the outcome; null where the rule wants none

  struct Times {
    double copy_seconds = 0;
    double kernel_seconds = 0;
  };
  virtual Times times() const = 0;  // of all that was done so far
};

// Whom a join hands its pairs to, from one thread. Each of these may throw, which ends the join.
struct JoinTaker {
  // Pairs, end to end.
  std::function<void(std::span<const std::uint64_t> pairs)> pairs;
  // Where a set is skewed: a set that is left to the caller. Of its pairs, those that differ in every one of the masks are
  // to be found.
  std::function<void(std::span<const std::uint64_t> run, std::span<const std::uint64_t> passed)> run;
  // Before every step, with the memory of the host that the join holds from now on.
  std::function<void(std::uint64_t host_bytes)> step;
};

struct JoinMemory {
  std::uint64_t device = 0;
  std::uint64_t pairs = 0;  // of the host: for pairs that are handed over at a time
};

// An open device. Threads may share one.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  // Memory of the device, and of the host, that a lane takes.
  virtual std::uint64_t device_bytes(const SketchRule& rule, const LaneSize& size) const = 0;
  virtual std::uint64_t host_bytes(const SketchRule& rule, const LaneSize& size) const = 0;
  virtual std::unique_ptr<Lane> lane(const SketchRule& rule, const LaneSize& size) const = 0;

  // The Hamming join (engines/matching/hamming_join.h): a set that does not fit into the device is sent through it in
  // parts. `hashes` are distinct; `masks` are the blocks, more than `distance` of them. False, and nothing taken, where
  // there is too little memory for this set.
  virtual bool join(std::span<const std::uint64_t> hashes, std::span<const std::uint64_t> masks, unsigned distance,
                    const JoinMemory& memory, const JoinTaker& take) const = 0;
};

// What the module gives.
class Module {
 public:
  // Raised with every change of this header.
  static constexpr std::uint32_t kVersion = 3;
  static constexpr const char* kEntry = "refrain_cuda_module";
  using Entry = const Module* (*)(std::uint32_t version);  // null where it has another version

  virtual std::vector<DeviceInfo> devices(std::string& missing) const = 0;
  virtual std::unique_ptr<Device> open(unsigned number) const = 0;

 protected:
  ~Module() = default;
};

// The device for these options; null for the CPU. With `cuda`, Error(unsupported) says why there is none; with
// `automatic` there is none either where it is not `worthwhile`.
std::shared_ptr<const Device> open_device(const DeviceOptions& options, bool worthwhile);

}  // namespace refrain::cuda
