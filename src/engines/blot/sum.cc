// Sum blots: the sum of the hashes of the tokens, which does not depend on their order.
#include "engines/blot/function.h"

namespace refrain::blot {

namespace {

class SumBlots : public BlotFunction {
 public:
  void blots(std::span<const std::uint64_t> hashes, const BlotShape& shape, std::uint64_t* out) const override {
    roll_windows(
        hashes, shape, out,
        [&](std::size_t i) {
          std::uint64_t value = 0;
          for (unsigned j = 0; j < shape.tokens; ++j) value += hashes[i + std::size_t{j} * shape.stride];
          return value;
        },
        [](std::uint64_t value, std::uint64_t leaving, std::uint64_t entering) { return value + (entering - leaving); },
        [](std::uint64_t value) { return value; });
  }
};

}  // namespace

std::unique_ptr<const BlotFunction> make_sum_blots() {
  return std::make_unique<SumBlots>();
}

}  // namespace refrain::blot
