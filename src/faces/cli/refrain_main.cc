// The program `refrain`.
#include <cstdint>

#include "faces/cli/process.h"
#include "faces/cli/run_verbs.h"

// When libhwy is loaded, it calibrates its clock for benchmarks that are not run here, which adds 4 ms to every start.
// It calls this function instead of its own, because a program's symbols take precedence over those of libraries.
namespace hwy::platform {
[[gnu::visibility("default")]] std::uint64_t TimerResolution();
std::uint64_t TimerResolution() {
  return 1;
}
}  // namespace hwy::platform

int main(int argc, char** argv) {
  refrain::cli::prepare_process();
  return refrain::cli::run_refrain(argc, argv);
}
