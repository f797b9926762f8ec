#include "verbs/near/device_join.h"

#include <algorithm>
#include <vector>

#include "base/threads.h"
#include "engines/matching/blocks.h"
#include "engines/matching/hamming_join.h"

namespace refrain::verbs::near {

bool join_on_device(const cuda::Device& device, std::span<const std::uint64_t> hashes, unsigned distance,
                    std::uint64_t memory, const Context& context, MemoryBudget& budget,
                    const std::function<void(unsigned, std::uint64_t, std::uint64_t)>& emit) {
  if (memory == 0) memory = device.info().free_bytes / 2;
  if (device.join_bytes(hashes.size()) > memory) return false;
  const std::vector<std::uint64_t> masks = matching::sorting_blocks(hashes, distance);
  if (masks.empty()) return false;
  device.join(
      hashes, masks, distance,
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
  return true;
}

}  // namespace refrain::verbs::near
