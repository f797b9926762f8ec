// Blot functions: each kind is one small function from a window of tokens to 64 bits.
//
// To add a kind, write a class in function.cc, a name in BlotKind (refrain/index.h) and a case in
// make_blot_function(). Blots are stored, so the values of a kind never change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "refrain/index.h"

namespace refrain::blot {

// A window of `tokens` tokens, `stride` apart.
struct BlotShape {
  unsigned tokens = 6;
  unsigned stride = 1;
  // The number of tokens from the first to the last, inclusive.
  std::size_t span() const { return std::size_t{tokens - 1} * stride + 1; }
};

// Immutable; threads may share one.
class BlotFunction {
 public:
  BlotFunction() = default;
  BlotFunction(const BlotFunction&) = delete;
  BlotFunction& operator=(const BlotFunction&) = delete;
  virtual ~BlotFunction() = default;

  // Writes the blot of the window that begins at hashes[i] to out[i], for all windows. `hashes` are the hashes of
  // the tokens, in order. There are hashes.size() - shape.span() + 1 windows, or none if `hashes` is shorter than a
  // window.
  virtual void blots(std::span<const std::uint64_t> hashes, const BlotShape& shape, std::uint64_t* out) const = 0;
};

std::unique_ptr<const BlotFunction> make_blot_function(BlotKind kind);

// The factories that make_blot_function() calls, one per kind.
std::unique_ptr<const BlotFunction> make_ordered_blots();
std::unique_ptr<const BlotFunction> make_sum_blots();
std::unique_ptr<const BlotFunction> make_xor_blots();

// Rolls a window over the tokens: first(i) computes the value for one of the first `stride` windows, and step(value,
// leaving, entering) computes the value `stride` tokens further on.
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
