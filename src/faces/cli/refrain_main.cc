// The program `refrain`.
#include <cstdint>

#include "faces/cli/process.h"
#include "faces/cli/run_verbs.h"

// libhwy measures its clock while it is loaded, for benchmarks that nobody runs here: 4 ms of every start. It calls this one
// instead, as the program's functions are found before those of libraries.
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
