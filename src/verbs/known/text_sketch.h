// Computes what a library stores of a text, and compares two texts, with the options that the library was made
// with.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engines/library/layout.h"
#include "engines/sketch/loss.h"
#include "engines/sketch/minhash.h"
#include "engines/sketch/written.h"
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
  std::vector<std::uint64_t> windows;   // the windows by which it is compared
  bool sorted = false;                  // whether the windows ascend without duplicates
};

// Not thread-safe.
class TextSketcher {
 public:
  explicit TextSketcher(const SketchPlan& plan);

  // `left_out` may be null.
  void sketch(std::string_view text, const text::LeftOut* left_out, TextSketch& out);
  // Returns the similarity of a text, given by its sketch, to another, or any value below the threshold if it is
  // less.
  double similarity(TextSketch& of, std::string_view other, const text::LeftOut* left_out);
  // Returns what would be lost if `text`, whose sketch is `of`, were removed and `other` kept. `other` must be the
  // text of the last call of similarity().
  sketch::Loss loss(std::string_view text, const TextSketch& of, std::string_view other);

  // Memory that the sketch of a text of this length may take.
  static std::uint64_t memory_bytes(std::uint64_t text_bytes) { return text_bytes / 5 * 3 * sizeof(std::uint64_t); }

 private:
  const SketchPlan& plan_;
  std::optional<text::FeatureStream> stream_;
  std::vector<std::uint32_t> signature_;
  std::vector<std::uint64_t> other_;  // windows of the other text of the last similarity()
  std::vector<std::uint64_t> own_;
  sketch::WrittenReader written_;
};

}  // namespace refrain::verbs::known
