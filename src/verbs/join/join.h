// The Hamming join (engines/matching/hamming.h) for verbs that support devices: it runs on a GPU or on the
// CPU, and finds the same pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/budget.h"
#include "engines/cuda/device.h"
#include "engines/matching/hamming.h"
#include "refrain/context.h"
#include "refrain/device.h"

namespace refrain::verbs::join {

// Does the same as matching::hamming_join(), on a GPU if `device` asks for one; `automatic` uses one if there are
// many fingerprints. The CPU still does the parts that it does faster and those for which the GPU has too little
// memory. With `automatic`, it also does the whole join if the GPU fails before any pair was emitted. `report`
// receives what a GPU did.
void join_fingerprints(std::span<const std::uint64_t> hashes, const matching::JoinOptions& options,
                       const DeviceOptions& device, const Context& context, MemoryBudget& budget,
                       const matching::EmitPair& emit, DeviceReport& report);

// The same with another function that opens the device, which returns null for the CPU. For tests.
using OpenDevice = std::function<std::shared_ptr<const cuda::Device>()>;
void join_fingerprints(std::span<const std::uint64_t> hashes, const matching::JoinOptions& options,
                       const DeviceOptions& device, const Context& context, MemoryBudget& budget,
                       const matching::EmitPair& emit, DeviceReport& report, const OpenDevice& open);

}  // namespace refrain::verbs::join
