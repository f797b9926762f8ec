// Compares the kernels' way through a text, with loops in place of warps, with the engine that it must agree with.
#include "engines/cuda/kernels/tile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engines/cuda/kernels/planes.h"
#include "engines/cuda/kernels/sdbm_run.h"
#include "refrain/fingerprint.h"

namespace refrain::cuda {
namespace {

struct Texts {
  std::string bytes;
  std::vector<std::uint64_t> offsets{0};

  void add(std::string_view text) {
    bytes += text;
    offsets.push_back(bytes.size());
  }
  std::size_t size() const { return offsets.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    return std::string_view(bytes).substr(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

struct Sketch {
  std::uint64_t hash = 0;
  int valid = 0;  // 2: left to the CPU
  friend bool operator==(const Sketch&, const Sketch&) = default;
};

struct Sums {
  std::vector<std::uint64_t> bits = std::vector<std::uint64_t>(64);
  std::uint64_t features = 0;
  bool for_cpu = false;
};

template <Members kind>
void load(Tile& tile, const std::string& padded, std::uint64_t begin) {
  std::memset(&tile, 0xEE, sizeof tile);
  std::memcpy(tile.text, padded.data() + begin, kReach);
  for (unsigned at = 0; at < kMaskWords; ++at) {
    std::uint32_t words[8];
    std::memcpy(words, tile.text + 8 * at, sizeof words);
    mark<kind>(tile, at, words);
  }
  tile.members[kMaskWords] = tile.members[kMaskWords + 1] = 0;
  for (unsigned at = 0; at < kMaskWords; ++at)
    mark_starts(tile, at, begin != 0 && is_member<kind>(static_cast<std::uint8_t>(padded[begin - 1])));
}

template <Members kind, bool windows>
void add_tile(const Tile& tile, const Texts& texts, const std::string& padded, std::uint64_t begin, unsigned lanes,
              const FeatureRule& rule, bool sdbm, std::vector<Sums>& sums) {
  std::vector<std::uint64_t> ring(kMaxDeviceWindow * kLanes);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Place place{reinterpret_cast<const std::uint8_t*>(padded.data()) + begin,
                      static_cast<std::int64_t>(texts.offsets[i] - begin),
                      static_cast<std::int64_t>(texts.offsets[i + 1] - begin)};
    const std::int64_t first = std::max<std::int64_t>(place.begin, 0);
    const std::int64_t last = std::min<std::int64_t>(place.end, kTileBytes);
    if (first >= last) continue;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      const Part whole{static_cast<unsigned>(first), static_cast<unsigned>(last)};
      if (sdbm) {
        SdbmRun<kind> run(tile, place, even_share_of(whole, lane, lanes));
        for (unsigned bit = 0; bit < 64; ++bit) sums[i].bits[bit] += run.planes().count(bit, kPlanes);
        sums[i].features += run.made();
        sums[i].for_cpu |= run.gave_up() || (kind != Members::letters && run.others());
        continue;
      }
      const Part part = share_of(whole, lane, lanes);
      if (kind != Members::letters && any_non_ascii(tile, part)) {
        sums[i].for_cpu = true;
        continue;
      }
      Features<kind, windows> features(tile, place, part, rule, ring.data() + lane);
      Planes planes;
      std::uint64_t made = 0;
      for (unsigned batch = 1; features.left(); ++batch) {
        std::uint64_t one = 0;
        std::uint64_t two = 0;
        if (features.next(one)) ++made;
        if (features.next(two)) ++made;
        planes.add(one, two, batch);
      }
      for (unsigned bit = 0; bit < 64; ++bit) sums[i].bits[bit] += planes.count(bit, kPlanes);
      sums[i].features += made;
      sums[i].for_cpu |= features.gave_up();
    }
  }
}

template <Members kind, bool windows>
std::vector<Sketch> sketch_as(const Texts& texts, const FeatureRule& rule, bool sdbm, bool tie_sets_bit,
                              unsigned lanes) {
  const std::string padded = texts.bytes + std::string(2 * kReach, '#');
  std::vector<Sums> sums(texts.size());
  const auto tile = std::make_unique<Tile>();
  for (std::uint64_t begin = 0; begin < texts.bytes.size(); begin += kTileBytes) {
    load<kind>(*tile, padded, begin);
    add_tile<kind, windows>(*tile, texts, padded, begin, lanes, rule, sdbm, sums);
  }
  std::vector<Sketch> sketches(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (sums[i].for_cpu) {
      sketches[i].valid = 2;
    } else if (sums[i].features != 0) {
      sketches[i].valid = 1;
      for (unsigned bit = 0; bit < 64; ++bit)
        if (sums[i].bits[bit] >= enough_of(sums[i].features, tie_sets_bit)) sketches[i].hash |= std::uint64_t{1} << bit;
    }
  }
  return sketches;
}

template <Members kind>
std::vector<Sketch> sketch_as(const Texts& texts, const FingerprintOptions& options, unsigned lanes) {
  FeatureRule rule{options.window, 1, options.seed};
  for (unsigned i = 0; i < options.window; ++i) rule.oldest_weight *= kWindowBase;
  const bool sdbm = options.hash == HashKind::sdbm;
  return options.window == 1 ? sketch_as<kind, false>(texts, rule, sdbm, options.tie_sets_bit, lanes)
                             : sketch_as<kind, true>(texts, rule, sdbm, options.tie_sets_bit, lanes);
}

std::vector<Sketch> sketch(const Texts& texts, const FingerprintOptions& options, unsigned lanes) {
  if (options.tokenizer == TokenizerKind::whitespace) return sketch_as<Members::not_space>(texts, options, lanes);
  if (options.tokenizer == TokenizerKind::alpha) return sketch_as<Members::letters>(texts, options, lanes);
  return sketch_as<Members::words>(texts, options, lanes);
}

std::vector<FingerprintOptions> all_options() {
  std::vector<FingerprintOptions> all;
  for (const TokenizerKind tokenizer : {TokenizerKind::whitespace, TokenizerKind::alpha, TokenizerKind::words_nfkc})
    for (const unsigned window : {1U, 3U, kMaxDeviceWindow}) {
      all.push_back({.tokenizer = tokenizer,
                     .window = window,
                     .seed = window == 3 ? 0x1234567890ABCDEFULL : 0,
                     .tie_sets_bit = window == 1});
      if (window == 1)
        all.push_back({.tokenizer = tokenizer, .hash = HashKind::sdbm, .window = 1, .tie_sets_bit = true});
    }
  return all;
}

// Checks that the texts that are not left to the CPU have its results. Returns the number of these texts.
std::size_t expect_equal(const Texts& texts, const FingerprintOptions& options, unsigned lanes) {
  const Fingerprinter fingerprinter(options);
  const std::vector<Sketch> sketches = sketch(texts, options, lanes);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (sketches[i].valid == 2) continue;
    const std::optional<std::uint64_t> hash = fingerprinter(texts[i]);
    const Sketch expected{hash.value_or(0), hash.has_value() ? 1 : 0};
    EXPECT_TRUE(sketches[i] == expected) << "text " << i << " of " << texts[i].size() << " bytes, tokenizer "
                                         << static_cast<int>(options.tokenizer) << ", window " << options.window
                                         << ", lanes " << lanes;
    if (::testing::Test::HasFailure()) break;
    ++equal;
  }
  return equal;
}

std::string random_text(std::mt19937_64& random, std::size_t size, std::string_view alphabet, std::uint64_t longest) {
  std::string text;
  while (text.size() < size) {
    for (std::uint64_t left = 1 + random() % longest; left != 0; --left) text += alphabet[random() % alphabet.size()];
    text.append(1 + (random() % 8 == 0 ? random() % 4 : 0), " \n\t.,-"[random() % 6]);
  }
  text.resize(size);
  return text;
}

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'";

TEST(CudaTile, SmallTextsAreWhatTheCpuMakesOfThem) {
  std::mt19937_64 random(1);
  Texts texts;
  for (int i = 0; i < 600; ++i) texts.add(random_text(random, random() % 90, kLetters, 1 + random() % 20));
  for (int i = 0; i < 200; ++i) texts.add({});
  for (int i = 0; i < 200; ++i) texts.add(i % 3 == 0 ? " " : "a");
  for (const FingerprintOptions& options : all_options())
    for (const unsigned lanes : {1U, 4U, 32U}) ASSERT_EQ(expect_equal(texts, options, lanes), texts.size());
}

TEST(CudaTile, TextsBesideEmptyOnesAreWhatTheCpuMakesOfThem) {
  Texts texts;
  for (const std::string_view text : {"one more text at the end", "and another one at the very end", "x", " y "}) {
    for (int i = 0; i < 40; ++i) texts.add({});
    texts.add(text);
  }
  for (const FingerprintOptions& options : all_options())
    for (const unsigned lanes : {1U, 2U, 32U}) ASSERT_EQ(expect_equal(texts, options, lanes), texts.size());
}

TEST(CudaTile, TextsOverManyTilesAreWhatTheCpuMakesOfThem) {
  std::mt19937_64 random(2);
  Texts texts;
  for (const std::size_t size : {0U, 1U, 31U, 32U, 33U, 4607U, 4608U, 4609U, 4736U, 9216U, 20000U, 50000U})
    for (const unsigned longest : {1U, 6U, 30U}) texts.add(random_text(random, size, kLetters, longest));
  for (const FingerprintOptions& options : all_options())
    for (const unsigned lanes : {1U, 8U, 32U}) ASSERT_EQ(expect_equal(texts, options, lanes), texts.size());
}

TEST(CudaTile, TokensAndGapsAcrossTilesAreWhole) {
  // A token, or a gap, of many sizes around the end of a tile and of its halo.
  std::mt19937_64 random(3);
  for (const char filler : {' ', 'x'}) {
    Texts texts;
    for (const unsigned around : {kTileBytes, kReach})
      for (unsigned size = 1; size <= 230; size += 7)
        texts.add(random_text(random, around - size / 2, kLetters, 9) + " " + std::string(size, filler) + " " +
                  random_text(random, 300, kLetters, 9));
    for (const FingerprintOptions& options : all_options())
      ASSERT_EQ(expect_equal(texts, options, 32), texts.size()) << filler;
  }
}

TEST(CudaTile, WhatIsTooLongIsLeftToTheCpu) {
  Texts texts;
  texts.add("one two " + std::string(16384, 'x') + " three four");
  texts.add("one two " + std::string(16385, 'x') + " three four");
  texts.add(std::string(100000, 'x'));
  texts.add("one" + std::string(40000, ' ') + "two");
  texts.add(std::string(40000, ' '));
  texts.add("one two " + std::string(240, 'x') + " three four");
  texts.add("one two " + std::string(241, 'x') + " three four");
  const FingerprintOptions fpga = preset("fpga")->fingerprint;
  const std::vector<Sketch> sketches = sketch(texts, fpga, 32);
  const std::vector<int> left_of_sdbm{1, 2, 2, 1, 0, 1, 1};
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(sketches[i].valid, left_of_sdbm[i]) << i;
  EXPECT_EQ(expect_equal(texts, fpga, 32), 5U);
  const FingerprintOptions words{.window = 2};
  const std::vector<Sketch> of_words = sketch(texts, words, 32);
  const std::vector<int> left_of_xxh3{2, 2, 2, 2, 0, 1, 2};
  for (std::size_t i = 0; i < texts.size(); ++i) EXPECT_EQ(of_words[i].valid, left_of_xxh3[i]) << i;
}

TEST(CudaTile, WhatIsNotAsciiIsLeftToTheCpuUnlessBytesSeparate) {
  std::mt19937_64 random(4);
  Texts texts;
  std::vector<bool> ascii;
  for (int i = 0; i < 300; ++i) {
    std::string text = random_text(random, random() % 300 + (i % 50 == 0 ? 9000 : 0), kLetters, 9);
    ascii.push_back(text.empty() || random() % 2 == 0);
    if (!ascii.back()) text[random() % text.size()] = static_cast<char>(128 + random() % 128);
    texts.add(text);
  }
  for (const FingerprintOptions& options : all_options()) {
    const bool letters = options.tokenizer == TokenizerKind::alpha;
    ASSERT_EQ(expect_equal(texts, options, 8), letters ? texts.size() : std::size_t(std::ranges::count(ascii, true)));
    const std::vector<Sketch> sketches = sketch(texts, options, 8);
    for (std::size_t i = 0; i < texts.size(); ++i) ASSERT_EQ(sketches[i].valid == 2, !letters && !ascii[i]) << i;
  }
}

}  // namespace
}  // namespace refrain::cuda
