// The Hamming join (engines/matching/hamming_join.h) of a verb that knows devices: on a GPU, or on the CPU, with the same
// pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/budget.h"
#include "engines/cuda/device.h"
#include "engines/matching/hamming_join.h"
#include "refrain/context.h"
#include "refrain/device.h"

namespace refrain::verbs::join {

// As matching::hamming_join(). On a GPU where `device` asks for one; `automatic` takes one for many fingerprints. The CPU
// still does what it is faster at, and what the GPU has too little memory for; with `automatic`, also what a GPU does not
// begin because it fails. `report` is told what a GPU did.
void join_fingerprints(std::span<const std::uint64_t> hashes, const matching::JoinOptions& options,
                       const DeviceOptions& device, const Context& context, MemoryBudget& budget,
                       const matching::EmitPair& emit, DeviceReport& report);

// The same with another way to a device, null for the CPU: for tests.
using OpenDevice = std::function<std::shared_ptr<const cuda::Device>()>;
void join_fingerprints(std::span<const std::uint64_t> hashes, const matching::JoinOptions& options,
                       const DeviceOptions& device, const Context& context, MemoryBudget& budget,
                       const matching::EmitPair& emit, DeviceReport& report, const OpenDevice& open);

}  // namespace refrain::verbs::join
