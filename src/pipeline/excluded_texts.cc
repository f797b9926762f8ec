#include "pipeline/excluded_texts.h"

#include <algorithm>

#include "blot/blotter.h"
#include "text/token_hash.h"
#include "text/tokenizer.h"

namespace refrain {
namespace {

// Calls visit(hash) for every window of `size` tokens.
template <class Visit>
void roll(std::span<const std::uint32_t> hashes, std::size_t size, Visit visit) {
  constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15;
  std::uint64_t oldest = 1;  // what the token that leaves counts for
  for (std::size_t i = 0; i < size; ++i) oldest *= kBase;
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    value = value * kBase + hashes[i] + 1;
    if (i >= size) value -= (std::uint64_t{hashes[i - size]} + 1) * oldest;
    if (i + 1 >= size) visit(value);
  }
}

}  // namespace

ExcludedTexts::ExcludedTexts(const IndexLayout& layout, const std::vector<std::string>& texts)
    : tokens_(blot_shape(layout).tokens) {
  if (texts.empty()) return;
  const auto tokenizer = make_tokenizer(layout.tokenizer);
  TokenBlock block;
  std::vector<std::uint64_t> wide;
  for (const std::string& text : texts) {
    std::vector<std::uint32_t> hashes;
    for (std::size_t position = 0; position < text.size();) {
      position = tokenizer->next(text, position, block);
      wide.resize(block.size());
      hash_tokens(HashKind::xxh3, block, 0, wide.data());
      for (const std::uint64_t hash : wide) hashes.push_back(static_cast<std::uint32_t>(hash));
    }
    roll(hashes, tokens_, [&](std::uint64_t window) { windows_.push_back(window); });
  }
  std::sort(windows_.begin(), windows_.end());
  windows_.erase(std::unique(windows_.begin(), windows_.end()), windows_.end());
}

bool ExcludedTexts::hold(std::span<const std::uint32_t> hashes) const {
  if (empty() || hashes.size() < tokens_) return false;
  std::uint64_t known = 0;
  roll(hashes, tokens_,
       [&](std::uint64_t window) { known += std::binary_search(windows_.begin(), windows_.end(), window) ? 1U : 0U; });
  return known * 10 >= (hashes.size() - tokens_ + 1) * 9;
}

}  // namespace refrain
