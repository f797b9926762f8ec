// What a library knows a text by, and how two texts compare, by the options that the library was made with.
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
  // The rules are those of the layout.
  SketchPlan(Rules of, library::Layout made);

  Rules rules;
  library::Layout layout;
  std::optional<text::FeaturePlan> features;  // both: where more than copies are found
  std::optional<sketch::MinHash> minhash;
};

struct TextSketch {
  Digest digest;
  std::vector<std::uint8_t> signature;  // empty: too short to have one
  std::vector<std::uint32_t> bands;     // likewise
  std::vector<std::uint64_t> keys;      // by which it is found
  std::vector<std::uint64_t> windows;   // by which it is compared
  bool sorted = false;                  // the windows ascend, each once
};

// Not thread-safe.
class TextSketcher {
 public:
  explicit TextSketcher(const SketchPlan& plan);

  // `left_out` may be null.
  void sketch(std::string_view text, const text::LeftOut* left_out, TextSketch& out);
  // The similarity of a text, by its sketch, to another; anything below the threshold where it is less than that.
  double similarity(TextSketch& of, std::string_view other, const text::LeftOut* left_out);
  // What would be lost with `text`, whose sketch that is, if only `other` stayed, which was asked about last.
  sketch::Loss loss(std::string_view text, const TextSketch& of, std::string_view other);

  // What a text of so many bytes may take meanwhile.
  static std::uint64_t memory_bytes(std::uint64_t text_bytes) { return text_bytes / 5 * 3 * sizeof(std::uint64_t); }

 private:
  const SketchPlan& plan_;
  std::optional<text::FeatureStream> stream_;
  std::vector<std::uint32_t> signature_;
  std::vector<std::uint64_t> other_;  // windows of the text of the last similarity()
  std::vector<std::uint64_t> own_;
  sketch::WrittenReader written_;
};

}  // namespace refrain::verbs::known
