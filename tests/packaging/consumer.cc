// A third-party program: it leaves the folder it was started in, fingerprints the given file, and reports errors.
#include <filesystem>
#include <iostream>

#include "refrain/context.h"
#include "refrain/error.h"
#include "refrain/fingerprint.h"
#include "refrain/index.h"
#include "refrain/input.h"
#include "refrain/version.h"

namespace {

// Derives from a class of the library, so both must share its type information.
class Counter : public refrain::PassageSink {
 public:
  void begin(const refrain::PassageHead&) override { ++passages; }
  void occurrence(const refrain::Occurrence&) override {}
  void end() override {}
  int passages = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const Counter counter;
  std::filesystem::current_path("/");
  try {
    const auto report = refrain::fingerprint({.paths = {argv[1]}}, {}, {}, [](std::string_view) {});
    std::cout << refrain::kVersion << ": " << report.read.documents << " documents, " << counter.passages
              << " passages\n";
  } catch (const refrain::Error& error) {
    std::cout << "error " << static_cast<int>(error.code()) << ": " << error.what() << '\n';
  }
}
