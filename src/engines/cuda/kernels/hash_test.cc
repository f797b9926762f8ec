#include "engines/cuda/kernels/hash.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "refrain/digest.h"
#include "text/token_hash.h"

namespace refrain::cuda {
namespace {

std::uint64_t word_at(const char* at, std::size_t most = 8) {
  std::uint64_t word = 0;
  std::memcpy(&word, at, std::min<std::size_t>(most, 8));
  return word;
}

// A token of up to 16 bytes as the kernels hold it; the bytes that follow it in `first` are not zero, as in a text.
struct Held {
  explicit Held(std::string_view token) {
    const std::string padded = std::string(token) + "~~~~~~~~";
    first = word_at(padded.data());
    last = token.size() >= 8 ? word_at(padded.data() + token.size() - 8) : 0;
  }
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

std::string random_bytes(std::mt19937_64& random, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  return bytes;
}

constexpr std::uint64_t kSeeds[] = {0, 1, 0x0123456789ABCDEFULL, ~std::uint64_t{0}};

TEST(CudaHash, ShortTokensHashAsTheTextRoomSays) {
  std::mt19937_64 random(1);
  for (unsigned size = 1; size <= 16; ++size) {
    for (int round = 0; round < 200; ++round) {
      const std::string token = random_bytes(random, size);
      const Held held(token);
      for (const std::uint64_t seed : kSeeds)
        ASSERT_EQ(xxh3_of_16(held.first, held.last, size, seed), text::hash_token(HashKind::xxh3, token, seed)) << size;
    }
  }
}

TEST(CudaHash, LongerTokensHashAsTheTextRoomSays) {
  std::mt19937_64 random(2);
  for (unsigned size = 17; size <= kXxh3MostShort; ++size) {
    const std::string token = random_bytes(random, size);
    const auto bytes = [&](unsigned at) { return word_at(token.data() + at); };
    for (const std::uint64_t seed : kSeeds)
      ASSERT_EQ(xxh3_of_240(bytes, size, seed), text::hash_token(HashKind::xxh3, token, seed)) << size;
  }
}

TEST(CudaHash, DigestsOfShortTextsAreThoseOfTheLibrary) {
  std::mt19937_64 random(3);
  for (unsigned size = 0; size <= kXxh3MostShort; ++size) {
    for (int round = 0; round < 20; ++round) {
      const std::string text = random_bytes(random, size);
      const Held held(text);
      const auto bytes = [&](unsigned at) { return word_at(text.data() + at); };
      const Wide hash = size <= 16 ? xxh3_wide_of_16(held.first, held.last, size) : xxh3_wide_of_240(bytes, size);
      const Digest expected = digest(text);
      ASSERT_EQ(hash.low, expected.low) << size;
      ASSERT_EQ(hash.high, expected.high) << size;
    }
  }
}

TEST(CudaHash, DigestsOfLongTextsAreThoseOfTheLibrary) {
  std::mt19937_64 random(4);
  for (const std::size_t size : {241, 255, 256, 257, 1023, 1024, 1025, 1088, 1089, 2048, 2049, 5000, 65536, 100001}) {
    const std::string text = random_bytes(random, size);
    // The slow and obvious form of what the kernel does with a warp.
    std::uint64_t sums[8];
    std::copy(std::begin(kXxh3Sums), std::end(kXxh3Sums), sums);
    const auto stripe = [&](std::size_t at, unsigned secret) {
      std::uint64_t added[8] = {};
      for (unsigned lane = 0; lane < 8; ++lane) {
        const std::uint64_t word = word_at(text.data() + at + 8 * lane);
        added[lane ^ 1U] += word;
        added[lane] += xxh3_accumulate(word, xxh3_secret(secret + 8 * lane));
      }
      for (unsigned lane = 0; lane < 8; ++lane) sums[lane] += added[lane];
    };
    const std::size_t stripes = (size - 1) / kXxh3Stripe;
    for (std::size_t s = 0; s < stripes; ++s) {
      stripe(s * kXxh3Stripe, 8 * (s % kXxh3BlockStripes));
      if (s % kXxh3BlockStripes == kXxh3BlockStripes - 1)
        for (unsigned lane = 0; lane < 8; ++lane) sums[lane] = xxh3_scramble(sums[lane], lane);
    }
    stripe(size - kXxh3Stripe, 192 - 64 - 7);
    Wide hash{size * kXxhPrime1, ~(size * kXxhPrime2)};
    for (unsigned pair = 0; pair < 4; ++pair) {
      hash.low += xxh3_merge(sums[2 * pair], sums[2 * pair + 1], pair, 11);
      hash.high += xxh3_merge(sums[2 * pair], sums[2 * pair + 1], pair, 192 - 64 - 11);
    }
    const Digest expected = digest(text);
    ASSERT_EQ(xxh3_avalanche(hash.low), expected.low) << size;
    ASSERT_EQ(xxh3_avalanche(hash.high), expected.high) << size;
  }
}

TEST(CudaHash, WindowsAreMixedAsOnTheCpu) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 1000; ++round) {
    const std::uint64_t x = random();
    ASSERT_EQ(mix_window(x), mix(x, 0x9FB21C651E98DF25ULL, 0xA24BAED4963EE407ULL));
  }
}

}  // namespace
}  // namespace refrain::cuda
