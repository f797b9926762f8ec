// The program `refrain`.
#include "faces/cli/process.h"
#include "faces/cli/run_verbs.h"

int main(int argc, char** argv) {
  refrain::cli::prepare_process();
  return refrain::cli::run_refrain(argc, argv);
}
