// The interface to a GPU, as the rest of the program sees it.
//
// The kernels (kernels/) are a module of their own, librefrain_cuda.so, which is loaded when a device is requested,
// so one build of the program runs on machines with and without a GPU. The two sides share only the declarations in
// this header. Tests replace the device by a stand-in that computes on the CPU.
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

// Says what a device computes from a text: a fingerprint or, if there are factors, the stored part of a MinHash
// signature (engines/sketch/minhash.h): the low byte of each lane, and the keys of its bands
// (engines/matching/bands.h), 32 bits each.
struct SketchRule {
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
  HashKind hash = HashKind::xxh3;
  unsigned window = 3;
  std::uint64_t seed = 0;
  bool tie_sets_bit = false;
  std::vector<std::uint32_t> factors = {};  // one per lane
  std::vector<std::uint32_t> addends = {};
  unsigned bands = 0;
  unsigned rows = 0;     // rows per band
  bool digests = false;  // also make a digest of every text (include/refrain/digest.h)

  std::size_t result_bytes() const {
    return factors.empty() ? sizeof(std::uint64_t) : factors.size() + bands * sizeof(std::uint32_t);
  }
  // Whether texts that are not all ASCII are left to the CPU.
  bool ascii_only() const { return tokenizer != TokenizerKind::alpha; }
};

// The rule for fingerprints with these options. Empty, with the reason in `why`, if a device cannot compute them.
std::optional<SketchRule> sketch_rule(const FingerprintOptions& options, std::string& why);
inline constexpr unsigned kMaxDeviceWindow = 8;
inline constexpr unsigned kSignatureLanes = 128;  // the only number of factors that devices support

// The capacity of a lane.
struct LaneSize {
  std::size_t text_bytes = 0;
  std::size_t texts = 0;
};

enum class Outcome : std::uint8_t { too_short = 0, made = 1, for_cpu = 2 };  // or any higher value

// One thread's connection to the device: a stream of its own, and memory that the device can read directly. Every
// call may throw Error(io), which names the device. Not thread-safe.
class Lane {
 public:
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  virtual ~Lane() = default;

  // The buffers that the caller fills: the texts, end to end, and their offsets. Text i is [offsets()[i],
  // offsets()[i + 1]), and offsets()[0] is 0.
  virtual std::span<char> text() = 0;
  virtual std::span<std::uint64_t> offsets() = 0;  // capacity for texts, plus 1
  // Starts to process this many texts, and returns at once.
  virtual void start(std::size_t texts) = 0;
  // Returns when the started texts are done. Results are consecutive, and valid for texts whose outcome is `made`.
  virtual void wait() = 0;
  virtual const std::uint8_t* results() const = 0;
  virtual const std::uint8_t* outcomes() const = 0;
  virtual const Digest* digests() const = 0;  // of all texts, whatever the outcome; null if not requested

  struct Times {
    double copy_seconds = 0;
    double kernel_seconds = 0;
  };
  virtual Times times() const = 0;  // total so far
};

// Receives the results of a join, on one thread. Each of these functions may throw, which ends the join.
struct JoinReceiver {
  // Receives pairs; each takes two consecutive elements.
  std::function<void(std::span<const std::uint64_t> pairs)> pairs;
  // Receives a subset of a skewed set that the caller must join: it must find those of its pairs that differ in
  // every one of the masks `passed`.
  std::function<void(std::span<const std::uint64_t> run, std::span<const std::uint64_t> passed)> run;
  // Called before every step, with the host memory that the join holds from then on.
  std::function<void(std::uint64_t host_bytes)> step;
};

struct JoinMemory {
  std::uint64_t device = 0;
  std::uint64_t pairs = 0;  // of the host: for the pairs that are handed over at a time
};

// An open device. Threads may share it.
class Device {
 public:
  Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  virtual ~Device() = default;

  virtual const DeviceInfo& info() const = 0;
  // The memory that a lane takes, on the device and on the host.
  virtual std::uint64_t device_bytes(const SketchRule& rule, const LaneSize& size) const = 0;
  virtual std::uint64_t host_bytes(const SketchRule& rule, const LaneSize& size) const = 0;
  virtual std::unique_ptr<Lane> lane(const SketchRule& rule, const LaneSize& size) const = 0;

  // The Hamming join (engines/matching/hamming.h). A set that does not fit into device memory is sent there in
  // parts. `hashes` must be distinct; `masks` are the blocks, of which there must be more than `distance`. Returns
  // false without having delivered pairs or runs if there is too little memory for this set.
  virtual bool join(std::span<const std::uint64_t> hashes, std::span<const std::uint64_t> masks, unsigned distance,
                    const JoinMemory& memory, const JoinReceiver& take) const = 0;
};

// The interface that the module exports.
class Module {
 public:
  // Must be raised with every change of this header.
  static constexpr std::uint32_t kVersion = 3;
  static constexpr const char* kEntry = "refrain_cuda_module";
  using Entry = const Module* (*)(std::uint32_t version);  // returns null if the module's version differs

  virtual std::vector<DeviceInfo> devices(std::string& missing) const = 0;
  virtual std::unique_ptr<Device> open(unsigned number) const = 0;

 protected:
  ~Module() = default;
};

// Opens the device for these options; null means the CPU. With `cuda`, throws Error(unsupported) with the reason if
// there is no device. With `automatic`, returns null if there is none or if it is not `worthwhile`.
std::shared_ptr<const Device> open_device(const DeviceOptions& options, bool worthwhile);

}  // namespace refrain::cuda
