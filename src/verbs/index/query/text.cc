#include "verbs/index/query/text.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <limits>

#include "engines/blot/finder.h"
#include "refrain/error.h"

namespace refrain::verbs::index {

namespace {

void sort_by_blot(Array<blot::ChosenWindow>& windows) {
  std::sort(windows.begin(), windows.end(), [](const blot::ChosenWindow& a, const blot::ChosenWindow& b) {
    return a.blot != b.blot ? a.blot < b.blot : a.first < b.first;
  });
}

}  // namespace

QueryText::QueryText(const IndexLayout& layout, text::TokenHasher& hasher, std::string_view text, bool with_pairs,
                     MemoryBudget& budget)
    : text_(text),
      hashes_(budget, "the tokens of a query"),
      bytes_(budget, "the tokens of a query"),
      windows_(budget, "the windows of a query"),
      pairs_(budget, "the windows of a query") {
  Array<std::uint64_t> hashes(budget, "the tokens of a query");
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

Rarity::Rarity(std::span<const std::uint32_t> places, std::size_t span, std::size_t beside, std::uint64_t documents,
               MemoryBudget& budget)
    : tokens_(budget, "the rarity of a query", places.size()),
      up_to_(budget, "the rarity of a query", places.size() / kStep + 1) {
  const auto all = static_cast<std::uint32_t>(16 * std::bit_width(std::max<std::uint64_t>(1, documents)));
  const auto rarity = [&](std::uint32_t found) {
    return kWhole * (all - std::min(all, blot::log2_sixteenths(found))) / all;
  };
  // The windows over the token, with ascending numbers of places: a later window that is as rare replaces earlier ones.
  std::deque<std::size_t> windows;
  std::size_t next = 0;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (; next < places.size() && next <= i + beside; ++next) {
      if (places[next] == 0) continue;
      while (!windows.empty() && places[windows.back()] >= places[next]) windows.pop_back();
      windows.push_back(next);
    }
    while (!windows.empty() && windows.front() + span + beside <= i) windows.pop_front();
    tokens_[i] = static_cast<std::uint16_t>(windows.empty() ? kWhole : rarity(places[windows.front()]));
    sum += tokens_[i];
    if ((i + 1) % kStep == 0) up_to_[(i + 1) / kStep] = sum;
  }
}

}  // namespace refrain::verbs::index
