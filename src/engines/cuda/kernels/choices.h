// The choices of blocks that a join goes through, and the order of bits by which each one sorts.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace refrain::cuda {

inline constexpr std::size_t kTables = 8 * 256;  // entries to permute bits; the inverse needs as many again
inline constexpr unsigned kMostBlocks = 64;

// An order of bits: bit order[i] of a fingerprint moves to position i.
struct BitOrder {
  std::vector<unsigned> order;

  // Entry 256 b + v is what byte b with value v becomes. The tables of the inverse follow.
  std::vector<std::uint64_t> tables() const {
    std::vector<std::uint64_t> made(2 * kTables);
    for (std::size_t i = 0; i < 64; ++i)
      for (std::size_t value = 0; value < 256; ++value) {
        const std::size_t bit = order[i];
        if ((value >> bit % 8 & 1U) != 0) made[256 * (bit / 8) + value] |= std::uint64_t{1} << i;
        if ((value >> i % 8 & 1U) != 0) made[kTables + 256 * (i / 8) + value] |= std::uint64_t{1} << bit;
      }
    return made;
  }
  std::uint64_t apply(std::uint64_t mask) const {
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < 64; ++i) moved |= (mask >> order[i] & 1U) << i;
    return moved;
  }
};

inline BitOrder with_last(std::uint64_t chosen) {
  BitOrder made;
  for (unsigned bit = 0; bit < 64; ++bit)
    if ((chosen >> bit & 1U) == 0) made.order.push_back(bit);
  for (unsigned bit = 0; bit < 64; ++bit)
    if ((chosen >> bit & 1U) != 0) made.order.push_back(bit);
  return made;
}

// The blocks in which a pair must differ; a pair that agrees in one of them was found by an earlier choice.
struct Passed {
  std::uint64_t masks[kMostBlocks];
  unsigned count;
};

// One choice of blocks.
struct Choice {
  std::uint64_t key;  // the chosen bits
  BitOrder order;
  unsigned key_shift = 0;  // the number of bits that are not chosen
  Passed passed{};
  std::vector<std::uint64_t> passed_masks = {};  // in the original order of bits
};

inline Choice make_choice(std::span<const std::uint64_t> masks, const std::vector<std::size_t>& chosen) {
  std::uint64_t key = 0;
  for (const std::size_t block : chosen) key |= masks[block];
  Choice choice{.key = key, .order = with_last(key), .key_shift = static_cast<unsigned>(64 - std::popcount(key))};
  for (std::size_t block = 0, next = 0; block < chosen.back(); ++block) {
    if (block == chosen[next]) {
      ++next;
    } else {
      choice.passed.masks[choice.passed.count++] = choice.order.apply(masks[block]);
      choice.passed_masks.push_back(masks[block]);
    }
  }
  return choice;
}

// Moves to the next choice in lexicographic order; returns false after the last.
inline bool advance(std::vector<std::size_t>& chosen, std::size_t blocks) {
  std::size_t i = chosen.size();
  while (i > 0 && chosen[i - 1] == blocks - chosen.size() + i - 1) --i;
  if (i == 0) return false;
  ++chosen[i - 1];
  for (; i < chosen.size(); ++i) chosen[i] = chosen[i - 1] + 1;
  return true;
}

// Returns all choices, in lexicographic order.
inline std::vector<Choice> make_choices(std::span<const std::uint64_t> masks, unsigned distance) {
  std::vector<std::size_t> chosen(masks.size() - distance);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::vector<Choice> choices;
  do choices.push_back(make_choice(masks, chosen));
  while (advance(chosen, masks.size()));
  return choices;
}

}  // namespace refrain::cuda
