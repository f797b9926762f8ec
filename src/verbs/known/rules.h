// The options that the answers of a library depend on, and their form as the library's rules: written when a
// library is made, and read back when it is used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engines/library/layout.h"
#include "engines/sketch/minhash.h"
#include "refrain/dedup.h"
#include "refrain/kernels.h"
#include "refrain/version.h"
#include "text/windows.h"

namespace refrain::verbs::known {

inline constexpr std::string_view kThresholdRule = "threshold";
inline constexpr std::string_view kKeepRule = "keep";
inline constexpr std::string_view kMainRule = "main-version";
inline constexpr std::string_view kJoinRule = "join-hyphens";
inline constexpr std::string_view kMinHashName = "minhash";

// The defaults are those of dedup.
struct Rules : DocumentMatchOptions {
  HtmlPart html = HtmlPart::main;
  unsigned main_version = kMainVersion;
  bool as_is = false;
  ComparedMail compare = ComparedMail::body;
  bool join_hyphens = false;
  std::string keep = "first";
  std::string near = std::string(kMinHashName);  // empty: off, and `templates` and the base have no meaning
  bool templates = true;
};

// `bands` are the bands of the signatures.
library::Layout layout_of(const Rules& rules, const std::optional<Bands>& bands);

// Reads the rules of an existing library. Throws Error(unsupported), which names the folder, if this build does not
// know a rule or its value, or if the list of stop words cannot be determined.
Rules rules_of(const library::Layout& layout, const std::filesystem::path& folder);

// Computes what a library stores of a text, with the options that the library was made with.

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
