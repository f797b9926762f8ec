// The options that the answers of a library depend on, as its rules spell them: written by whoever makes a library, and
// read back by whoever answers from one.
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
struct Rules {
  HtmlPart html = HtmlPart::main;
  bool as_is = false;
  std::string keep = "first";
  std::string near = std::string(kMinHashName);  // empty: off; nothing below means anything then
  FingerprintOptions windows = {.window = 5};
  unsigned lanes = kDefaultLanes;
  double threshold = kDefaultThreshold;
  std::uint32_t max_loss = kDefaultMaxLoss;
  bool templates = true;
};

// `bands` are those of the signatures.
library::Layout layout_of(const Rules& rules, const std::optional<Bands>& bands);

// Of a library that is there. Error(unsupported), which names the folder, where this build does not know a rule or its
// value, or where it cannot be told what stop words were used.
Rules rules_of(const library::Layout& layout, const std::filesystem::path& folder);

}  // namespace refrain::verbs::known
