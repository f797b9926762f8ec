#include "verbs/join/join.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/threads.h"
#include "engines/cuda/device.h"
#include "engines/matching/blocks.h"

namespace refrain::verbs::join {

namespace {

constexpr std::size_t kManyHashes = std::size_t{1} << 24;  // from here on a GPU joins much sooner

// False, and nothing emitted, where the CPU is to do it.
bool join_on_device(const cuda::Device& device, std::span<const std::uint64_t> hashes, unsigned distance,
                    std::uint64_t memory, const Context& context, MemoryBudget& budget,
                    const matching::EmitPair& emit) {
  const std::vector<std::uint64_t> masks = matching::sorting_blocks(hashes, distance);
  if (masks.empty()) return false;
  return device.join(
      hashes, masks, distance, memory != 0 ? memory : device.info().free_bytes / 2,
      [&](std::span<const std::uint64_t> pairs) {
        throw_if_stopped(context);
        for (std::size_t i = 0; i < pairs.size(); i += 2)
          emit(0, std::min(pairs[i], pairs[i + 1]), std::max(pairs[i], pairs[i + 1]));
      },
      // A run of very many is left to the CPU, less what the blocks before it have found.
      [&](std::span<const std::uint64_t> run, std::span<const std::uint64_t> passed) {
        matching::hamming_join(run, {.distance = distance}, context, budget,
                               [&](unsigned worker, std::uint64_t a, std::uint64_t b) {
                                 const auto differs = [&](std::uint64_t mask) { return ((a ^ b) & mask) != 0; };
                                 if (std::ranges::all_of(passed, differs)) emit(worker, a, b);
                               });
      });
}

}  // namespace

void join_fingerprints(std::span<const std::uint64_t> hashes, const matching::JoinOptions& options,
                       const DeviceOptions& device, const Context& context, MemoryBudget& budget,
                       const matching::EmitPair& emit, DeviceReport& report) {
  const std::shared_ptr<const cuda::Device> gpu = cuda::open_device(device, hashes.size() >= kManyHashes);
  if (gpu && join_on_device(*gpu, hashes, options.distance, device.memory_bytes, context, budget, emit)) {
    report.name = gpu->info().name;
    report.joined += hashes.size();
    return;
  }
  matching::hamming_join(hashes, options, context, budget, emit);
}

}  // namespace refrain::verbs::join
