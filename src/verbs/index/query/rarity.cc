#include "verbs/index/query/rarity.h"

#include <algorithm>
#include <bit>
#include <deque>

#include "engines/blot/finder.h"

namespace refrain::verbs::index {

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
