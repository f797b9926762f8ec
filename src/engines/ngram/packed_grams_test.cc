#include "engines/ngram/candidates.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "every_simd_target.h"

namespace refrain::ngram {
namespace {

std::vector<std::uint64_t> with_neighbours(const std::vector<std::uint64_t>& numbers, unsigned bits) {
  std::vector<std::uint64_t> kept;
  for (const std::uint64_t number : numbers)
    if (std::count_if(numbers.begin(), numbers.end(),
                      [&](std::uint64_t other) { return other >> bits == number >> bits; }) > 1)
      kept.push_back(number);
  return kept;
}

TEST(PackedGrams, KeepsThoseThatMeetAnother) {
  on_every_simd_target([] {
    std::mt19937_64 random(7);
    for (const unsigned bits : {1U, 28U, 60U})
      for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 8U, 9U, 16U, 17U, 100U, 333U})
        for (const std::uint64_t keys : {1U, 2U, 40U, 1000U}) {
          std::vector<std::uint64_t> numbers;
          const std::uint64_t most = std::min<std::uint64_t>(keys, std::uint64_t{1} << (64 - bits));
          for (std::size_t i = 0; i < count; ++i)
            numbers.push_back((random() % most) << bits | (random() & ((std::uint64_t{1} << bits) - 1)));
          std::sort(numbers.begin(), numbers.end());
          const std::vector<std::uint64_t> expected = with_neighbours(numbers, bits);
          const std::size_t kept = keep_neighbours(numbers, bits);
          numbers.resize(kept);
          ASSERT_EQ(numbers, expected) << bits << " bits, " << count << " numbers, " << keys << " keys";
        }
  });
}

TEST(PackedGrams, SortsNumbers) {
  std::mt19937_64 random(8);
  for (const std::size_t count : {0U, 1U, 2U, 100U, 5000U}) {
    std::vector<std::uint64_t> numbers(count);
    for (std::uint64_t& number : numbers) number = random() >> random() % 64;
    std::vector<std::uint64_t> sorted = numbers;
    std::sort(sorted.begin(), sorted.end());
    store::sort_numbers(numbers);
    ASSERT_EQ(numbers, sorted);
  }
}

}  // namespace
}  // namespace refrain::ngram
