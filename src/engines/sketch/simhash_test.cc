#include "engines/sketch/simhash.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

#include "refrain/fingerprint.h"
#include "text/token_hash.h"

namespace refrain::sketch {
namespace {

std::uint64_t simhash(const std::vector<std::uint64_t>& features, bool tie) {
  SimHashCounter counter;
  // The features are added in pieces of many sizes, so that carries meet every state.
  for (std::size_t at = 0, piece = 1; at < features.size(); at += piece, piece = piece * 3 % 41 + 1) {
    piece = std::min(piece, features.size() - at);
    counter.add({features.data() + at, piece});
  }
  return counter.fingerprint(tie);
}

RC_GTEST_PROP(SimHash, EqualsThePlainSums, (const std::vector<std::uint64_t>& features, bool tie)) {
  RC_ASSERT(simhash(features, tie) == simhash_plain(features, tie));
}

TEST(SimHash, EqualsThePlainSumsOnManyFeatures) {
  std::mt19937_64 random(1);
  for (const std::size_t size : {1, 2, 15, 16, 17, 31, 255, 256, 1000, 65536, 100001}) {
    std::vector<std::uint64_t> features(size);
    for (auto& feature : features) feature = random() & random();
    EXPECT_EQ(simhash(features, false), simhash_plain(features, false)) << size;
    EXPECT_EQ(simhash(features, true), simhash_plain(features, true)) << size;
  }
}

TEST(SimHash, OfTheEmptyBagIsZero) {
  EXPECT_EQ(SimHashCounter().fingerprint(true), 0U);
  EXPECT_EQ(SimHashCounter().fingerprint(false), 0U);
}

TEST(SimHash, ATieGivesWhatWasAskedFor) {
  const std::vector<std::uint64_t> features{0b01, 0b10};
  EXPECT_EQ(simhash(features, false), 0U);
  EXPECT_EQ(simhash(features, true), 0b11U);
}

TEST(Fingerprinter, ReproducesTheWorkedExampleOfThePaperBitForBit) {
  auto options = preset("fpga")->fingerprint;
  options.stop_words = english_stop_words();
  EXPECT_EQ(Fingerprinter(options)("A school is a school if it has students and teachers"),
            0b0011101010100100001000111100010101011000001101010000111111110100U);
}

TEST(Fingerprinter, GivesNothingForWhatIsTooShort) {
  EXPECT_EQ(Fingerprinter({})(""), std::nullopt);
  EXPECT_EQ(Fingerprinter({})("two words"), std::nullopt);
  EXPECT_NE(Fingerprinter({})("now three words"), std::nullopt);
  EXPECT_EQ(Fingerprinter(preset("report")->fingerprint)("a b c d e"), std::nullopt);
}

TEST(Fingerprinter, ReportPresetIsTheMajorityOverMd5OfWindows) {
  const std::vector<std::uint64_t> windows{text::hash_md5("one two three four five six"),
                                           text::hash_md5("two three four five six seven")};
  EXPECT_EQ(Fingerprinter(preset("report")->fingerprint)("One two three\nfour five SIX seven"),
            simhash_plain(windows, false));
}

// These bytes are stored; they must not change without a new kFingerprintVersion.
TEST(Fingerprinter, GivesTheStoredBytes) {
  const std::string text = "Refrain finds what a collection of text says more than once. 我爱你 Straße 42";
  EXPECT_EQ(Fingerprinter({})(text), 5341291148520501832U);
  EXPECT_EQ(Fingerprinter(preset("fpga")->fingerprint)(text), 32176451940764653U);
  EXPECT_EQ(Fingerprinter(preset("report")->fingerprint)(text), 949735921971278234U);
}

TEST(Fingerprinter, ABatchEqualsSingleDocuments) {
  const std::string text = "one two three fourone two threex y";
  const std::vector<std::int64_t> offsets{0, 18, 31, 34, 34};
  std::vector<std::uint64_t> hashes(4, 99);
  std::vector<std::uint8_t> valid(4, 9);
  const Fingerprinter fingerprinter({});
  fingerprinter.batch({text.data(), offsets}, hashes.data(), valid.data());
  EXPECT_EQ(hashes[0], *fingerprinter("one two three four"));
  EXPECT_EQ(hashes[1], *fingerprinter("one two three"));
  EXPECT_EQ(valid, (std::vector<std::uint8_t>{1, 1, 0, 0}));
  EXPECT_EQ(hashes[2], 0U);
}

// The promise to users: small changes make small differences, and other texts make large ones.
struct Change {
  const char* name;
  bool chinese;
  std::size_t tokens;
};
class SmallChanges : public testing::TestWithParam<Change> {};

TEST_P(SmallChanges, AreFoundAtDistanceThreeInNineCasesOfTen) {
  const auto [name, chinese, size] = GetParam();
  const Fingerprinter fingerprinter({});
  std::mt19937_64 random(11);
  const auto token = [&, is_chinese = chinese] {
    if (!is_chinese) return "w" + std::to_string(random() % 5000) + " ";
    const auto c = static_cast<unsigned>(0x4E00 + random() % 3000);
    return std::string{static_cast<char>(0xE0U | c >> 12U), static_cast<char>(0x80U | (c >> 6U & 63U)),
                       static_cast<char>(0x80U | (c & 63U))};
  };
  int found = 0;
  int confused = 0;
  std::uint64_t last = 0;
  constexpr int kCases = 400;
  for (int i = 0; i < kCases; ++i) {
    std::vector<std::string> words(size);
    for (auto& word : words) word = token();
    const auto join = [&] {
      std::string text;
      for (const auto& word : words) text += word;
      return *fingerprinter(text);
    };
    const std::uint64_t before = join();
    words[random() % size] = token();
    found += std::popcount(before ^ join()) <= 3 ? 1 : 0;
    confused += i > 0 && std::popcount(before ^ last) <= 3 ? 1 : 0;
    last = before;
  }
  EXPECT_GE(found, kCases * 9 / 10);
  EXPECT_EQ(confused, 0);
}

INSTANTIATE_TEST_SUITE_P(Texts, SmallChanges,
                         testing::Values(Change{"english", false, 1000}, Change{"chinese", true, 2000}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace refrain::sketch
