// The GPU module, which breaks on request: a kernel traps, after which nothing on the device works any more.
// tests/cli/gpu_test.py puts it beside the program as librefrain_cuda.so, and the module itself as gpu.so.
#include "gpu/failing.h"

#include <cuda_runtime.h>

namespace refrain::gpu_test {
namespace {

__global__ void trap() {
  __trap();
}

}  // namespace
}  // namespace refrain::gpu_test

extern "C" __attribute__((visibility("default"))) const refrain::cuda::Module* refrain_cuda_module(
    std::uint32_t version) {
  using namespace refrain;
  void* const gpu = dlopen((gpu_test::module_folder() / "gpu.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (gpu == nullptr) return nullptr;
  static const cuda::Module* const inner =
      reinterpret_cast<cuda::Module::Entry>(dlsym(gpu, cuda::Module::kEntry))(version);
  if (inner == nullptr) return nullptr;
  static const gpu_test::FailingModule module(*inner, [](const std::string&) {
    gpu_test::trap<<<1, 1>>>();
    cudaDeviceSynchronize();
  });
  return &module;
}
