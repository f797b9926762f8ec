// Xor blots: the exclusive or of the hashes of the tokens. It does not depend on their order, and a token that
// occurs twice cancels itself out. This is the simplest function that can be rolled; it is kept for comparison.
#include "engines/blot/function.h"

namespace refrain::blot {

namespace {

class XorBlots : public BlotFunction {
 public:
  void blots(std::span<const std::uint64_t> hashes, const BlotShape& shape, std::uint64_t* out) const override {
    roll_windows(
        hashes, shape, out,
        [&](std::size_t i) {
          std::uint64_t value = 0;
          for (unsigned j = 0; j < shape.tokens; ++j) value ^= hashes[i + std::size_t{j} * shape.stride];
          return value;
        },
        [](std::uint64_t value, std::uint64_t leaving, std::uint64_t entering) { return value ^ leaving ^ entering; },
        [](std::uint64_t value) { return value; });
  }
};

}  // namespace

std::unique_ptr<const BlotFunction> make_xor_blots() {
  return std::make_unique<XorBlots>();
}

}  // namespace refrain::blot
