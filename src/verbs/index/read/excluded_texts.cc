#include "verbs/index/read/excluded_texts.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/checksum.h"
#include "engines/blot/blotter.h"
#include "verbs/index/read/given_texts.h"

namespace refrain::verbs::index {
namespace {

constexpr const char* kWhat = "the excluded texts";

}  // namespace

ExcludedTexts::ExcludedTexts(const PassageLimits& limits, const IndexLayout& layout, MemoryBudget& budget,
                             const std::stop_token& stop)
    : window_(std::min(blot::blot_shape(layout).tokens, layout.window / 2 + 1)), windows_(budget, kWhat) {
  text::TokenHasher hasher(layout.tokenizer);
  // Reads one text at a time, because only its windows are kept.
  for (const std::string& text : limits.exclude) {
    GivenTexts given(budget, kWhat);
    given.add({}, text);
    add(given[0].text, hasher, budget);
  }
  for (const std::string& path : limits.exclude_files) {
    GivenTexts given(budget, kWhat);
    given.read(path, stop);
    add(given[0].text, hasher, budget);
  }
  std::sort(windows_.begin(), windows_.end());
}

void ExcludedTexts::add(std::string_view text, text::TokenHasher& hasher, MemoryBudget& budget) {
  const std::array<std::uint64_t, 2> chained{hash_, checksum(text)};
  hash_ = checksum({reinterpret_cast<const char*>(chained.data()), sizeof(chained)});
  Array<std::uint32_t> tokens(budget, kWhat);
  hasher.read(text, [&](const text::TokenStretch& stretch) {
    tokens.reserve_more(stretch.size());
    for (const std::uint64_t hash : stretch.hashes()) tokens.push_back(static_cast<std::uint32_t>(hash));
  });
  for_each_window({tokens.data(), tokens.size()}, [&](std::uint64_t window) { windows_.push_back(window); });
}

template <class Visit>
void ExcludedTexts::for_each_window(std::span<const std::uint32_t> tokens, Visit visit) const {
  constexpr std::size_t kWindowsAtATime = 4096;
  const blot::BlotShape shape{.tokens = window_, .stride = 1};
  const std::unique_ptr<const blot::BlotFunction> function = blot::make_ordered_blots();
  std::vector<std::uint64_t> wide;
  std::vector<std::uint64_t> windows;
  for (std::size_t at = 0; at + shape.span() <= tokens.size(); at += kWindowsAtATime) {
    const auto some = tokens.subspan(at, std::min(tokens.size() - at, kWindowsAtATime + shape.span() - 1));
    wide.assign(some.begin(), some.end());
    windows.resize(some.size() - shape.span() + 1);
    function->blots(wide, shape, windows.data());
    std::for_each(windows.begin(), windows.end(), visit);
  }
}

bool ExcludedTexts::hold(std::span<const std::uint32_t> tokens) const {
  std::uint64_t all = 0;
  std::uint64_t known = 0;
  for_each_window(tokens, [&](std::uint64_t window) {
    ++all;
    if (std::binary_search(windows_.begin(), windows_.end(), window)) ++known;
  });
  return all > 0 && 10 * known >= 9 * all;
}

}  // namespace refrain::verbs::index
