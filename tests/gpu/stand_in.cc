// The stand-in as a module, which fails on request. tests/cli/device_test.py puts it beside the program as
// librefrain_cuda.so.
#include "gpu/stand_in.h"

#include "gpu/failing.h"
#include "refrain/error.h"

namespace refrain::gpu_test {
namespace {

class StandInModule final : public cuda::Module {
 public:
  std::vector<DeviceInfo> devices(std::string& /*missing*/) const override { return {StandIn().info()}; }
  std::unique_ptr<cuda::Device> open(unsigned /*number*/) const override { return std::make_unique<StandIn>(); }
};

}  // namespace
}  // namespace refrain::gpu_test

extern "C" [[gnu::visibility("default")]] const refrain::cuda::Module* refrain_cuda_module(std::uint32_t version) {
  using namespace refrain;
  static const gpu_test::StandInModule stand_in;
  static const gpu_test::FailingModule module(stand_in, [](const std::string& call) {
    throw Error(Errc::io, "stand-in: " + call + ": unspecified launch failure; run again with --device cpu");
  });
  return version == cuda::Module::kVersion ? &module : nullptr;
}
