#include "match/edit_search.h"

#include <algorithm>

namespace refrain {

namespace {

constexpr std::size_t kBits = 64;
constexpr std::uint64_t kHighBit = std::uint64_t{1} << (kBits - 1);

}  // namespace

EditSearch::EditSearch(MemoryBudget& budget, std::size_t tokens) : rows_of_(budget, "the tokens of a search", tokens) {}

template <class Pattern>
void EditSearch::note(std::size_t size, Pattern pattern) {
  const std::size_t blocks = (size + kBits - 1) / kBits;
  blocks_.resize(blocks);
  last_bit_ = std::uint64_t{1} << ((size - 1) % kBits);
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

void EditSearch::forget(std::span<const std::uint32_t> pattern) {
  for (const std::uint32_t token : pattern) rows_of_[token] = 0;
}

void EditSearch::start() {
  for (Block& block : blocks_) block = {~std::uint64_t{0}, 0};
}

int EditSearch::step(std::uint32_t token, int from) {
  const std::uint64_t* equal_row = rows_.data() + rows_of_[token] * blocks_.size();
  for (Block& block : blocks_) {
    std::uint64_t equal = *equal_row++;
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
    from = to;
  }
  return from;
}

std::optional<EditPlace> EditSearch::find(std::span<const std::uint32_t> pattern, std::span<const std::uint32_t> text,
                                          std::size_t most) {
  const std::size_t size = pattern.size();
  if (size == 0 || most >= size) return std::nullopt;
  EditPlace best{0, 0, most + 1};
  note(size, [&](std::size_t i) { return pattern[i]; });
  start();
  std::size_t distance = size;
  for (std::size_t i = 0; i < text.size(); ++i) {
    distance = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(distance) + step(text[i], 0));
    if (distance < best.distance) best = {0, i + 1, distance};
  }
  forget(pattern);
  if (best.distance > most) return std::nullopt;

  // From its end back, to where it begins.
  note(size, [&](std::size_t i) { return pattern[size - 1 - i]; });
  start();
  distance = size;
  for (best.begin = best.end; distance != best.distance && best.begin > 0;) {
    --best.begin;
    distance = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(distance) + step(text[best.begin], 1));
  }
  forget(pattern);
  return best;
}

}  // namespace refrain
