// What a blot is made of: one small function from a window of tokens to 64 bits, by kind.
//
// A new kind is one file with a class, a name in BlotKind (refrain/index.h) and a row in make_blot_function(). Blots are
// stored, so a kind never changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "refrain/index.h"

namespace refrain::blot {

// A window: `tokens` of them, `stride` apart.
struct BlotShape {
  unsigned tokens = 6;
  unsigned stride = 1;
  // From the first to the last, both included.
  std::size_t span() const { return std::size_t{tokens - 1} * stride + 1; }
};

// Immutable; threads may share one.
class BlotFunction {
 public:
  BlotFunction() = default;
  BlotFunction(const BlotFunction&) = delete;
  BlotFunction& operator=(const BlotFunction&) = delete;
  virtual ~BlotFunction() = default;

  // The blots of all windows in `hashes` (those of the tokens, in order), the one that begins at hashes[i] into out[i]:
  // hashes.size() - shape.span() + 1 of them, or none.
  virtual void blots(std::span<const std::uint64_t> hashes, const BlotShape& shape, std::uint64_t* out) const = 0;
};

std::unique_ptr<const BlotFunction> make_blot_function(BlotKind kind);

// The makers behind it, one a file.
std::unique_ptr<const BlotFunction> make_ordered_blots();
std::unique_ptr<const BlotFunction> make_sum_blots();
std::unique_ptr<const BlotFunction> make_xor_blots();

// Rolls a window over the tokens: first(i) is the value at one of the first `stride` places, step(value, leaving, entering)
// the one `stride` places on.
template <class First, class Step, class Finish>
void roll_windows(std::span<const std::uint64_t> hashes, const BlotShape& shape, std::uint64_t* out, First first,
                  Step step, Finish finish) {
  if (hashes.size() < shape.span()) return;
  const std::size_t windows = hashes.size() - shape.span() + 1;
  const std::size_t width = std::size_t{shape.tokens} * shape.stride;
  for (std::size_t stream = 0; stream < shape.stride && stream < windows; ++stream) {
    std::uint64_t value = first(stream);
    out[stream] = finish(value);
    for (std::size_t i = stream + shape.stride; i < windows; i += shape.stride) {
      value = step(value, hashes[i - shape.stride], hashes[i - shape.stride + width]);
      out[i] = finish(value);
    }
  }
}

}  // namespace refrain::blot
