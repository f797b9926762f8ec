#include "verbs/join/join.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/threads.h"
#include "engines/matching/hamming.h"
#include "refrain/error.h"

namespace refrain::verbs::join {

namespace {

constexpr std::size_t kManyHashes = std::size_t{1} << 24;  // from this number on, a GPU is much faster
constexpr const char* kPairs = "the pairs that the GPU found";

// Returns false, without emitting anything, if the CPU has to do the join. Sets `emitted` before anything is
// emitted.
bool join_on_device(const cuda::Device& device, std::span<const std::uint64_t> hashes, unsigned distance,
                    std::uint64_t memory, const Context& context, MemoryBudget& budget, const matching::EmitPair& emit,
                    bool& emitted) {
  const std::vector<std::uint64_t> masks = matching::sorting_blocks(hashes, distance);
  if (masks.empty()) return false;
  Reservation held = budget.reserve(0, kPairs);
  const cuda::JoinReceiver take{.pairs =
                                    [&](std::span<const std::uint64_t> pairs) {
                                      emitted = true;
                                      for (std::size_t i = 0; i < pairs.size(); i += 2)
                                        emit(0, std::min(pairs[i], pairs[i + 1]), std::max(pairs[i], pairs[i + 1]));
                                    },
                                // The CPU joins very long runs, without the pairs that earlier blocks found.
                                .run =
                                    [&](std::span<const std::uint64_t> run, std::span<const std::uint64_t> passed) {
                                      emitted = true;
                                      matching::hamming_join(run, {.distance = distance}, context, budget,
                                                             [&](unsigned worker, std::uint64_t a, std::uint64_t b) {
                                                               const auto differs = [&](std::uint64_t mask) {
                                                                 return ((a ^ b) & mask) != 0;
                                                               };
                                                               if (std::ranges::all_of(passed, differs))
                                                                 emit(worker, a, b);
                                                             });
                                    },
                                .step =
                                    [&](std::uint64_t host_bytes) {
                                      throw_if_stopped(context);
                                      held.resize(host_bytes, kPairs);
                                    }};
  return device.join(hashes, masks, distance,
                     {.device = memory != 0 ? memory : device.info().free_bytes / 2, .pairs = budget.available() / 8},
                     take);
}

}  // namespace

void join_fingerprints(std::span<const std::uint64_t> hashes, const matching::JoinOptions& options,
                       const DeviceOptions& device, const Context& context, MemoryBudget& budget,
                       const matching::EmitPair& emit, DeviceReport& report) {
  join_fingerprints(hashes, options, device, context, budget, emit, report,
                    [&] { return cuda::open_device(device, hashes.size() >= kManyHashes); });
}

void join_fingerprints(std::span<const std::uint64_t> hashes, const matching::JoinOptions& options,
                       const DeviceOptions& device, const Context& context, MemoryBudget& budget,
                       const matching::EmitPair& emit, DeviceReport& report, const OpenDevice& open) {
  bool emitted = false;
  try {
    const std::shared_ptr<const cuda::Device> gpu = open();
    if (gpu && join_on_device(*gpu, hashes, options.distance, device.memory_bytes, context, budget, emit, emitted)) {
      report.name = gpu->info().name;
      report.joined += hashes.size();
      return;
    }
  } catch (const Error& error) {
    if (device.kind != DeviceKind::automatic || error.code() != Errc::io || emitted) throw;
    report.failed = error.what();
  }
  matching::hamming_join(hashes, options, context, budget, emit);
}

}  // namespace refrain::verbs::join
