#include "verbs/index/query/text.h"

#include <algorithm>
#include <limits>

#include "refrain/error.h"

namespace refrain::verbs::index {

namespace {

void sort_by_blot(Array<blot::ChosenWindow>& windows) {
  std::sort(windows.begin(), windows.end(), [](const blot::ChosenWindow& a, const blot::ChosenWindow& b) {
    return a.blot != b.blot ? a.blot < b.blot : a.first < b.first;
  });
}

}  // namespace

QueryText::QueryText(const IndexLayout& layout, std::string_view text, bool with_pairs, MemoryBudget& budget)
    : text_(text),
      hashes_(budget, "the tokens of a query"),
      bytes_(budget, "the tokens of a query"),
      windows_(budget, "the windows of a query"),
      pairs_(budget, "the windows of a query") {
  Array<std::uint64_t> hashes(budget, "the tokens of a query");
  text::TokenHasher hasher(layout.tokenizer);
  hasher.read(text, [&](const text::TokenStretch& stretch) {
    hashes.append(stretch.hashes());
    bytes_.reserve_more(stretch.size());
    for (std::size_t i = 0; i < stretch.size(); ++i) bytes_.push_back(stretch.range(i));
  });
  if (hashes.size() > std::numeric_limits<std::uint32_t>::max() / 2)
    throw Error(Errc::over_budget, "the query has more than 2 billion tokens; split it");
  hashes_.reserve_more(hashes.size());
  for (const std::uint64_t hash : hashes) hashes_.push_back(static_cast<std::uint32_t>(hash));
  choose(layout, {hashes.data(), hashes.size()}, with_pairs && layout.pairs);
}

void QueryText::choose(const IndexLayout& layout, std::span<const std::uint64_t> hashes, bool with_pairs) {
  constexpr std::size_t kWindowsAtATime = std::size_t{1} << 16;
  blot::Blotter blotter(layout);
  const std::size_t span = blotter.shape().span();
  const std::uint64_t mask = blot::blot_mask(layout.blot_bits);
  std::vector<blot::ChosenWindow> chosen;
  for (std::size_t at = 0; at + span <= hashes.size(); at += kWindowsAtATime) {
    chosen.clear();
    blotter.choose(hashes.subspan(at, std::min(hashes.size() - at, kWindowsAtATime + span - 1)), at, chosen);
    windows_.reserve_more(chosen.size());
    for (const blot::ChosenWindow& window : chosen) windows_.push_back({window.first, window.blot & mask});
  }
  for (std::size_t at = 0; with_pairs && at < hashes.size(); at += kWindowsAtATime) {
    chosen.clear();
    blot::choose_pairs(hashes.subspan(at, std::min(hashes.size() - at, kWindowsAtATime + 1)), at, chosen);
    pairs_.reserve_more(chosen.size());
    for (const blot::ChosenWindow& pair : chosen) pairs_.push_back({pair.first, blot::pair_key(layout, pair.blot)});
  }
  sort_by_blot(windows_);
  sort_by_blot(pairs_);
}

TextPiece QueryText::piece(std::uint32_t first, std::uint32_t last) const {
  const ByteRange range = bytes(first, last);
  return {text_.substr(range.begin, range.end - range.begin), range.begin, first};
}

}  // namespace refrain::verbs::index
