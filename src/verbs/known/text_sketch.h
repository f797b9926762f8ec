// Computes what a library stores of a text, with the options that the library was made with.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engines/library/layout.h"
#include "engines/sketch/minhash.h"
#include "text/left_out.h"
#include "text/windows.h"
#include "verbs/known/rules.h"

namespace refrain::verbs::known {

// Immutable; threads may share one.
struct SketchPlan {
  // `of` are the rules of the layout `made`.
  SketchPlan(Rules of, library::Layout made);

  Rules rules;
  library::Layout layout;
  std::optional<text::FeaturePlan> features;  // both are set if near-duplicates are found, too
  std::optional<sketch::MinHash> minhash;
};

struct TextSketch {
  Digest digest;
  std::vector<std::uint8_t> signature;  // empty: the text is too short to have one
  std::vector<std::uint32_t> bands;     // empty if there is no signature
  std::vector<std::uint64_t> keys;      // the keys by which it is found
  std::vector<std::uint64_t> windows;   // the windows by which it is compared, in order
};

// `left_out` may be null. `stream` computes the features of the plan; null if it has none.
void sketch_text(const SketchPlan& plan, std::string_view text, const text::LeftOut* left_out,
                 text::FeatureStream* stream, TextSketch& out);

// Memory that the sketch of a text of this length may take.
inline std::uint64_t sketch_memory_bytes(std::uint64_t text_bytes) {
  return text_bytes / 5 * 3 * sizeof(std::uint64_t);
}

}  // namespace refrain::verbs::known
