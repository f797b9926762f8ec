// The Hamming join (engines/matching/hamming_join.h) of a verb that knows devices: on a GPU, or on the CPU, with the same
// pairs.
#pragma once

#include <cstdint>
#include <span>

#include "base/budget.h"
#include "engines/matching/hamming_join.h"
#include "refrain/context.h"
#include "refrain/device.h"

namespace refrain::verbs::join {

// As matching::hamming_join(). On a GPU where `device` asks for one; `automatic` takes one for many fingerprints. The CPU
// still does what it is faster at, and what the GPU has too little memory for. `report` is told what a GPU did.
void join_fingerprints(std::span<const std::uint64_t> hashes, const matching::JoinOptions& options,
                       const DeviceOptions& device, const Context& context, MemoryBudget& budget,
                       const matching::EmitPair& emit, DeviceReport& report);

}  // namespace refrain::verbs::join
