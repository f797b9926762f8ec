// The join on a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/budget.h"
#include "engines/cuda/device.h"
#include "refrain/context.h"

namespace refrain::verbs::near {

// Calls emit(worker, a, b) for every pair of distinct fingerprints within `distance`, as the CPU does. `memory` is what it may
// take on the device; 0: half of what is free. False, and nothing emitted, where that does not suffice, or the set is such
// that the CPU is faster.
bool join_on_device(const cuda::Device& device, std::span<const std::uint64_t> hashes, unsigned distance,
                    std::uint64_t memory, const Context& context, MemoryBudget& budget,
                    const std::function<void(unsigned worker, std::uint64_t a, std::uint64_t b)>& emit);

}  // namespace refrain::verbs::near
