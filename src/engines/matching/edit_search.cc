#include "engines/matching/edit_search.h"

#include <algorithm>

namespace refrain::matching {

namespace {

constexpr std::size_t kBits = 64;
constexpr std::uint64_t kHighBit = std::uint64_t{1} << (kBits - 1);

}  // namespace

EditSearch::EditSearch(MemoryBudget& budget, std::size_t tokens) : rows_of_(budget, "the tokens of a search", tokens) {}

template <class Pattern>
void EditSearch::index_pattern(std::size_t size, Pattern pattern) {
  const std::size_t blocks = (size + kBits - 1) / kBits;
  blocks_.resize(blocks);
  last_tokens_ = (size - 1) % kBits + 1;
  last_bit_ = std::uint64_t{1} << (last_tokens_ - 1);
  rows_.assign(blocks, 0);
  for (std::size_t i = 0; i < size; ++i) {
    std::uint32_t& row = rows_of_[pattern(i)];
    if (row == 0) {
      row = static_cast<std::uint32_t>(rows_.size() / blocks);
      rows_.resize(rows_.size() + blocks, 0);
    }
    rows_[row * blocks + i / kBits] |= std::uint64_t{1} << (i % kBits);
  }
}

void EditSearch::clear_pattern(std::span<const std::uint32_t> pattern) {
  for (const std::uint32_t token : pattern) rows_of_[token] = 0;
}

void EditSearch::enter_block(std::size_t block, std::size_t before) {
  const std::size_t tokens = block + 1 == blocks_.size() ? last_tokens_ : kBits;
  blocks_[block] = {~std::uint64_t{0}, 0, before + tokens};
}

void EditSearch::start(std::size_t most) {
  active_ = std::min(blocks_.size(), most / kBits + 1);
  for (std::size_t block = 0; block < active_; ++block) enter_block(block, block * kBits);
}

int EditSearch::step(Block& block, std::uint64_t equal, int from) const {
  const std::uint64_t high = &block == &blocks_.back() ? last_bit_ : kHighBit;
  const std::uint64_t vertical = equal | block.minus;
  if (from < 0) equal |= 1;
  const std::uint64_t across = (((equal & block.plus) + block.plus) ^ block.plus) | equal;
  std::uint64_t rise = block.minus | ~(across | block.plus);
  std::uint64_t fall = block.plus & across;
  const int to = (rise & high) != 0 ? 1 : (fall & high) != 0 ? -1 : 0;
  rise <<= 1U;
  fall <<= 1U;
  if (from < 0) fall |= 1;
  if (from > 0) rise |= 1;
  block.plus = fall | ~(vertical | rise);
  block.minus = rise & vertical;
  block.distance = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(block.distance) + to);
  return to;
}

void EditSearch::step(std::uint32_t token, int from, std::size_t most) {
  const std::uint64_t* const equal = rows_.data() + rows_of_[token] * blocks_.size();
  for (std::size_t block = 0; block < active_; ++block) from = step(blocks_[block], equal[block], from);
  // A small distance can enter the next block through an equal token or by decreasing along the text.
  const auto before = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(blocks_[active_ - 1].distance) - from);
  if (active_ < blocks_.size() && before <= most && ((equal[active_] & 1) != 0 || from < 0)) {
    enter_block(active_, before);
    step(blocks_[active_], equal[active_], from);
    ++active_;
    return;
  }
  while (active_ > 1 && blocks_[active_ - 1].distance >= most + kBits) --active_;
}

std::optional<EditPlace> EditSearch::find(std::span<const std::uint32_t> pattern, std::span<const std::uint32_t> text,
                                          std::size_t most) {
  const std::size_t size = pattern.size();
  if (size == 0 || most >= size) return std::nullopt;
  EditPlace best{0, 0, most + 1};
  index_pattern(size, [&](std::size_t i) { return pattern[i]; });
  start(most);
  for (std::size_t i = 0; i < text.size() && best.distance != 0; ++i) {
    step(text[i], 0, best.distance - 1);
    if (distance() < best.distance) best = {0, i + 1, distance()};
  }
  clear_pattern(pattern);
  if (best.distance > most) return std::nullopt;

  // Searches backward from the end for the beginning.
  index_pattern(size, [&](std::size_t i) { return pattern[size - 1 - i]; });
  start(best.distance);
  for (best.begin = best.end; distance() != best.distance && best.begin > 0;)
    step(text[--best.begin], 1, best.distance);
  clear_pattern(pattern);
  return best;
}

}  // namespace refrain::matching
