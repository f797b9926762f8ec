#include "verbs/index/query/text.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "refrain/error.h"

namespace refrain::verbs::index {

QueryText::QueryText(const IndexLayout& layout, std::uint64_t gap, MemoryBudget& budget)
    : gap_(gap),
      mask_(blot::blot_mask(layout.blot_bits)),
      hasher_(layout.tokenizer),
      budget_(budget),
      blotter_(layout),
      hashes_(budget, "the tokens of a query"),
      bytes_(budget, "the tokens of a query"),
      windows_(budget, "the windows of a query") {}

void QueryText::add(std::string_view id, std::string_view text) {
  const std::size_t first = hashes_.size();
  Array<std::uint64_t> hashes(budget_, "the tokens of a query");
  hasher_.read(text, [&](const text::TokenStretch& stretch) {
    hashes.append(stretch.hashes());
    bytes_.reserve_more(stretch.size());
    for (std::size_t i = 0; i < stretch.size(); ++i) bytes_.push_back(stretch.range(i));
  });
  if (first + hashes.size() + gap_ > std::numeric_limits<std::uint32_t>::max() / 2)
    throw Error(Errc::over_budget, "the query has more than 2 billion tokens; split it");
  hashes_.reserve_more(hashes.size() + gap_);
  for (const std::uint64_t hash : hashes) hashes_.push_back(static_cast<std::uint32_t>(hash));
  parts_.push_back({id, text, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(hashes_.size())});
  tokens_ += hashes.size();
  choose_windows({hashes.data(), hashes.size()}, first);
  for (std::uint64_t i = 0; i < gap_; ++i) {
    hashes_.push_back(0);
    bytes_.push_back({});
  }
}

void QueryText::choose_windows(std::span<const std::uint64_t> hashes, std::uint64_t first) {
  constexpr std::size_t kWindowsAtATime = std::size_t{1} << 16;
  const std::size_t span = blotter_.shape().span();
  for (std::size_t at = 0; at + span <= hashes.size(); at += kWindowsAtATime) {
    chosen_.clear();
    blotter_.choose(hashes.subspan(at, std::min(hashes.size() - at, kWindowsAtATime + span - 1)), first + at, chosen_);
    windows_.reserve_more(chosen_.size());
    for (const blot::ChosenWindow& window : chosen_) windows_.push_back({window.first, window.blot & mask_});
  }
  sorted_ = false;
}

std::span<const blot::ChosenWindow> QueryText::windows() {
  if (!sorted_)
    std::sort(windows_.begin(), windows_.end(), [](const blot::ChosenWindow& a, const blot::ChosenWindow& b) {
      return a.blot != b.blot ? a.blot < b.blot : a.first < b.first;
    });
  sorted_ = true;
  return {windows_.data(), windows_.size()};
}

const QueryText::Part& QueryText::part_at(std::uint32_t token) const {
  return *std::prev(std::upper_bound(parts_.begin(), parts_.end(), token,
                                     [](std::uint32_t value, const Part& part) { return value < part.first; }));
}

TextPiece QueryText::piece(std::uint32_t first, std::uint32_t last) const {
  const ByteRange range = bytes(first, last);
  return {part_at(first).text.substr(range.begin, range.end - range.begin), range.begin, first};
}

}  // namespace refrain::verbs::index
