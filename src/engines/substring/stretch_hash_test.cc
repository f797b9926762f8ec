#include "engines/substring/sampler.h"

#include <gtest/gtest.h>

#include <string>

#include "random_text.h"

namespace refrain::substring {
namespace {

TEST(StretchHash, DependsOnTheBytesAloneHoweverItCameThere) {
  for (const std::size_t least : {std::size_t{100}, StretchHasher::kLong, std::size_t{5000}}) {
    std::string text = random_text(20'000, 26, 1);
    text.replace(11'000, 7000, text, 1000, 7000);
    StretchHasher moving(least, 3);
    for (std::size_t at = 1000; at + least + 64 <= 8000; at += 1 + at % 97) {
      const std::size_t size = least + at % 64;
      StretchHasher fresh(least, 3);
      const std::uint64_t hash = moving.hash(text.data() + at, size);
      ASSERT_EQ(hash, fresh.hash(text.data() + at + 10'000, size));
      ASSERT_EQ(hash, fresh.hash(text.data() + at, size));
    }
    // Backward, and far away.
    StretchHasher fresh(least, 3);
    const std::uint64_t hash = fresh.hash(text.data() + 1000, least);
    EXPECT_EQ(moving.hash(text.data() + 1000, least), hash);
    EXPECT_EQ(moving.hash(text.data() + 11'000, least), hash);
  }
}

TEST(StretchHash, ForgetsABufferWhoseBytesChanged) {
  const std::string one = random_text(4000, 26, 1);
  const std::string two = random_text(4000, 26, 2);
  std::string buffer = one;
  StretchHasher hasher(3000, 0);
  StretchHasher fresh(3000, 0);
  hasher.hash(buffer.data(), 3000);
  buffer = two;
  hasher.reset();
  EXPECT_EQ(hasher.hash(buffer.data() + 10, 3000), fresh.hash(two.data() + 10, 3000));
}

TEST(StretchHash, TellsApartWhatDiffersInOneByteAndTakesOtherHashesForAnotherSeed) {
  std::string text(5000, '\0');
  StretchHasher hasher(4000, 0);
  const std::uint64_t zeros = hasher.hash(text.data(), 4000);
  EXPECT_EQ(hasher.hash(text.data() + 7, 4000), zeros);
  EXPECT_NE(hasher.hash(text.data() + 7, 4001), zeros);
  for (const std::size_t at : {0, 1, 2000, 3999}) {
    hasher.reset();
    text[at] = '\1';
    EXPECT_NE(hasher.hash(text.data(), 4000), zeros);
    text[at] = '\0';
  }
  StretchHasher other(4000, 1);
  EXPECT_NE(other.hash(text.data(), 4000), zeros);
}

}  // namespace
}  // namespace refrain::substring
