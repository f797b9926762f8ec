// The kinds of blots.
#include "engines/blot/function.h"

#include <functional>

#include "base/hash.h"

namespace refrain::blot {

// Ordered blots: the hashes of the tokens are the digits of a number, which is then mixed.

namespace {

constexpr std::uint64_t kBase = 0xD6E8FEB86659FD93ULL;

class OrderedBlots : public BlotFunction {
 public:
  void blots(std::span<const std::uint64_t> hashes, const BlotShape& shape, std::uint64_t* out) const override {
    std::uint64_t leaving_weight = 1;
    for (unsigned i = 0; i < shape.tokens; ++i) leaving_weight *= kBase;
    roll_windows(
        hashes, shape, out,
        [&](std::size_t i) {
          std::uint64_t value = 0;
          for (unsigned j = 0; j < shape.tokens; ++j) value = value * kBase + hashes[i + std::size_t{j} * shape.stride];
          return value;
        },
        [&](std::uint64_t value, std::uint64_t leaving, std::uint64_t entering) {
          return value * kBase + (entering - leaving * leaving_weight);
        },
        [](std::uint64_t value) { return mix(value, 0x9FB21C651E98DF25ULL, 0xA24BAED4963EE407ULL); });
  }
};

}  // namespace

std::unique_ptr<const BlotFunction> make_ordered_blots() {
  return std::make_unique<OrderedBlots>();
}

// Blots that do not depend on the order of the tokens: the sum of their hashes, or the exclusive or. In the latter, a
// token that occurs twice cancels itself out; it is kept for comparison.

namespace {

template <class Combine, class Undo>
class UnorderedBlots : public BlotFunction {
 public:
  void blots(std::span<const std::uint64_t> hashes, const BlotShape& shape, std::uint64_t* out) const override {
    roll_windows(
        hashes, shape, out,
        [&](std::size_t i) {
          std::uint64_t value = 0;
          for (unsigned j = 0; j < shape.tokens; ++j)
            value = Combine()(value, hashes[i + std::size_t{j} * shape.stride]);
          return value;
        },
        [](std::uint64_t value, std::uint64_t leaving, std::uint64_t entering) {
          return Combine()(Undo()(value, leaving), entering);
        },
        std::identity());
  }
};

}  // namespace

std::unique_ptr<const BlotFunction> make_sum_blots() {
  return std::make_unique<UnorderedBlots<std::plus<std::uint64_t>, std::minus<std::uint64_t>>>();
}

std::unique_ptr<const BlotFunction> make_xor_blots() {
  return std::make_unique<UnorderedBlots<std::bit_xor<std::uint64_t>, std::bit_xor<std::uint64_t>>>();
}

}  // namespace refrain::blot
