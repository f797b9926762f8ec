// A lane (engines/cuda/device.h): copies texts to the device, runs kernels and copies results back, all on one
// stream.
#pragma once

#include <memory>

#include "engines/cuda/device.h"
#include "engines/cuda/kernels/memory.cuh"

namespace refrain::cuda {

std::uint64_t lane_device_bytes(const SketchRule& rule, const LaneSize& size);
std::uint64_t lane_host_bytes(const SketchRule& rule, const LaneSize& size);
std::unique_ptr<Lane> make_lane(unsigned device, const SketchRule& rule, const LaneSize& size,
                                const CudaCheck& check_cuda);

}  // namespace refrain::cuda
