// The choices of blocks that a join goes through, and the order of bits that each one sorts by.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace refrain::cuda {

inline constexpr std::size_t kTables = 8 * 256;  // to move bits; as many to move them back
inline constexpr unsigned kMostBlocks = 64;

// An order of bits: bit order[i] of a fingerprint comes to place i.
struct BitOrder {
  std::vector<unsigned> order;

  // What byte b with value v becomes: entry 256 b + v. Then the way back.
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

// A pair must differ in these blocks: else an earlier choice has found it.
struct Passed {
  std::uint64_t masks[kMostBlocks];
  unsigned count;
};

// One choice of blocks.
struct Choice {
  std::uint64_t key;  // the chosen bits
  BitOrder order;
  unsigned key_shift = 0;  // bits that are not chosen
  Passed passed{};
  std::vector<std::uint64_t> passed_masks = {};  // as they were before bits were moved
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

// To the next choice, in order; false after the last.
inline bool advance(std::vector<std::size_t>& chosen, std::size_t blocks) {
  std::size_t i = chosen.size();
  while (i > 0 && chosen[i - 1] == blocks - chosen.size() + i - 1) --i;
  if (i == 0) return false;
  ++chosen[i - 1];
  for (; i < chosen.size(); ++i) chosen[i] = chosen[i - 1] + 1;
  return true;
}

// All of them, in order.
inline std::vector<Choice> make_choices(std::span<const std::uint64_t> masks, unsigned distance) {
  std::vector<std::size_t> chosen(masks.size() - distance);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  std::vector<Choice> choices;
  do choices.push_back(make_choice(masks, chosen));
  while (advance(chosen, masks.size()));
  return choices;
}

}  // namespace refrain::cuda
