// The options that the answers of a library depend on, and their form as the library's rules: written when a
// library is made, and read back when it is used.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engines/library/layout.h"
#include "refrain/dedup.h"
#include "refrain/kernels.h"

namespace refrain::verbs::known {

inline constexpr std::string_view kThresholdRule = "threshold";
inline constexpr std::string_view kKeepRule = "keep";
inline constexpr std::string_view kMinHashName = "minhash";

// The defaults are those of dedup.
struct Rules : DocumentMatchOptions {
  HtmlPart html = HtmlPart::main;
  bool as_is = false;
  ComparedMail compare = ComparedMail::body;
  std::string keep = "first";
  std::string near = std::string(kMinHashName);  // empty: off, and `templates` and the base have no meaning
  bool templates = true;
};

// `bands` are the bands of the signatures.
library::Layout layout_of(const Rules& rules, const std::optional<Bands>& bands);

// Reads the rules of an existing library. Throws Error(unsupported), which names the folder, if this build does not
// know a rule or its value, or if the list of stop words cannot be determined.
Rules rules_of(const library::Layout& layout, const std::filesystem::path& folder);

}  // namespace refrain::verbs::known
