#include "pipeline/excluded_texts.h"

#include <algorithm>

#include "blot/blotter.h"
#include "text/token_hasher.h"

namespace refrain {

ExcludedTexts::ExcludedTexts(const std::vector<std::string>& texts, const IndexLayout& layout, MemoryBudget& budget)
    : window_(std::min(blot_shape(layout).tokens, layout.window / 2 + 1)), windows_(budget, "the excluded texts") {
  TokenHasher hasher(layout.tokenizer);
  for (const std::string& text : texts) {
    std::vector<std::uint32_t> tokens;
    hasher.read(text, [&](const TokenStretch& stretch) {
      for (const std::uint64_t hash : stretch.hashes()) tokens.push_back(static_cast<std::uint32_t>(hash));
    });
    windows_.append(windows_of(tokens));
  }
  std::sort(windows_.begin(), windows_.end());
}

std::vector<std::uint64_t> ExcludedTexts::windows_of(std::span<const std::uint32_t> tokens) const {
  const BlotShape shape{.tokens = window_, .stride = 1};
  if (tokens.size() < shape.span()) return {};
  const std::vector<std::uint64_t> wide(tokens.begin(), tokens.end());
  std::vector<std::uint64_t> windows(tokens.size() - shape.span() + 1);
  make_ordered_blots()->blots(wide, shape, windows.data());
  return windows;
}

bool ExcludedTexts::hold(std::span<const std::uint32_t> tokens) const {
  const std::vector<std::uint64_t> windows = windows_of(tokens);
  const auto known = std::count_if(windows.begin(), windows.end(), [&](std::uint64_t window) {
    return std::binary_search(windows_.begin(), windows_.end(), window);
  });
  return !windows.empty() && 10 * static_cast<std::uint64_t>(known) >= 9 * windows.size();
}

}  // namespace refrain
