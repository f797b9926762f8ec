// The entry point of the module: everything that a program sees of it.
#include <cuda_runtime.h>

#include <vector>

#include "engines/cuda/device.h"
#include "engines/cuda/kernels/join.cuh"
#include "engines/cuda/kernels/lane.cuh"

namespace refrain::cuda {

namespace {

DeviceInfo describe(unsigned number) {
  DeviceInfo info;
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, static_cast<int>(number)) != cudaSuccess) return info;
  info.name = properties.name;
  info.architecture = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  std::size_t free_bytes = 0;
  std::size_t all = 0;
  if (cudaSetDevice(static_cast<int>(number)) == cudaSuccess) cudaMemGetInfo(&free_bytes, &all);
  info.memory_bytes = all;
  info.free_bytes = free_bytes;
  return info;
}

class OpenDevice final : public Device {
 public:
  explicit OpenDevice(unsigned number) : number_(number), info_(describe(number)), check_cuda_(info_.name) {}

  const DeviceInfo& info() const override { return info_; }
  std::uint64_t device_bytes(const SketchRule& rule, const LaneSize& size) const override {
    return lane_device_bytes(rule, size);
  }
  std::uint64_t host_bytes(const SketchRule& rule, const LaneSize& size) const override {
    return lane_host_bytes(rule, size);
  }
  std::unique_ptr<Lane> lane(const SketchRule& rule, const LaneSize& size) const override {
    return make_lane(number_, rule, size, check_cuda_);
  }

  bool join(std::span<const std::uint64_t> hashes, std::span<const std::uint64_t> masks, unsigned distance,
            const JoinMemory& memory, const JoinReceiver& take) const override {
    check_cuda_(cudaSetDevice(static_cast<int>(number_)), "selecting the device");
    const std::optional<JoinSizes> sizes = join_sizes(hashes.size(), memory);
    return sizes && join_from_host(hashes, masks, distance, *sizes, check_cuda_, take);
  }

 private:
  unsigned number_;
  DeviceInfo info_;
  CudaCheck check_cuda_;
};

class CudaModule final : public Module {
 public:
  std::vector<DeviceInfo> devices(std::string& missing) const override {
    int count = 0;
    std::vector<DeviceInfo> found;
    if (const cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess)
      missing =
          error == cudaErrorInsufficientDriver ? "no NVIDIA driver, or one that is too old" : cudaGetErrorString(error);
    else if (count == 0)
      missing = "no GPU";
    for (int i = 0; i < count; ++i) found.push_back(describe(static_cast<unsigned>(i)));
    return found;
  }
  std::unique_ptr<Device> open(unsigned number) const override { return std::make_unique<OpenDevice>(number); }
};

}  // namespace

}  // namespace refrain::cuda

extern "C" __attribute__((visibility("default"))) const refrain::cuda::Module* refrain_cuda_module(
    std::uint32_t version) {
  static const refrain::cuda::CudaModule module;
  return version == refrain::cuda::Module::kVersion ? &module : nullptr;
}
