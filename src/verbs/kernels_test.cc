#include "refrain/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "refrain/dedup.h"
#include "refrain/error.h"
#include "refrain/pairs.h"
#include "verbs/test_kernels.h"

namespace refrain {
namespace {

TEST(Digests, AreEqualWhereTextsAre) {
  const Texts texts = {"a", "b", std::nullopt, "a", "", std::string("a\0b", 3), "\xFF", "狐狸"};
  for (const Layout layout : kLayouts)
    for (const unsigned threads : kThreads) {
      const Column column(texts, layout);
      std::vector<Digest> found(texts.size());
      digests(column.view(), found.data(), on(threads));
      for (std::size_t i = 0; i < texts.size(); ++i) {
        EXPECT_EQ(found[i], texts[i] ? digest(*texts[i]) : Digest()) << i;
        for (std::size_t j = 0; j < i; ++j) EXPECT_EQ(found[i] == found[j], texts[i] == texts[j]) << i << ' ' << j;
      }
    }
}

TEST(Kernels, TakeAColumnOfNothing) {
  const TextColumn none;
  digests(none, nullptr, {});
  Fingerprinter({}).batch(none, nullptr, nullptr, {});
  MinHasher().batch(none, nullptr, nullptr, {});
  EXPECT_EQ(NgramKeyer().batch(none, {}).size(), 0U);
  EXPECT_EQ(SubstringSampler().batch(none, {}).samples.size(), 0U);
  EXPECT_TRUE(similarities(none, {}, {}, {}).empty());
}

TEST(Kernels, StopWhenAsked) {
  std::stop_source source;
  source.request_stop();
  const Column column(hard_texts(1, 100));
  std::vector<Digest> found(column.view().size());
  try {
    digests(column.view(), found.data(), {.stop = source.get_token()});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
}

TEST(Fingerprints, OfAColumnAreThoseOfItsTexts) {
  const Texts texts = hard_texts(2, 300);
  const Fingerprinter fingerprinter({});
  for (const Layout layout : kLayouts)
    for (const unsigned threads : kThreads) {
      const Column column(texts, layout);
      std::vector<std::uint64_t> hashes(texts.size());
      std::vector<std::uint8_t> valid(texts.size());
      fingerprinter.batch(column.view(), hashes.data(), valid.data(), on(threads));
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::optional<std::uint64_t> expected = texts[i] ? fingerprinter(*texts[i]) : std::nullopt;
        ASSERT_EQ(valid[i] != 0, expected.has_value()) << i;
        ASSERT_EQ(hashes[i], expected.value_or(0)) << i;
      }
    }
}

struct Signatures {
  Signatures(const MinHasher& hasher, const TextColumn& texts, const Context& context)
      : lanes(hasher.lanes()), numbers(texts.size() * lanes), valid(texts.size()) {
    hasher.batch(texts, numbers.data(), valid.data(), context);
  }
  std::span<const std::uint32_t> operator[](std::size_t i) const {
    return std::span(numbers).subspan(i * lanes, lanes);
  }
  unsigned lanes;
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint8_t> valid;
};

TEST(MinHasher, SignaturesOfAColumnAreThoseOfItsTexts) {
  const Texts texts = hard_texts(3, 300);
  const MinHasher hasher({.lanes = 32});
  for (const Layout layout : kLayouts)
    for (const unsigned threads : kThreads) {
      const Column column(texts, layout);
      const Signatures found(hasher, column.view(), on(threads));
      std::vector<std::uint32_t> one(hasher.lanes());
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const bool judged = hasher(texts[i].value_or(""), one.data());
        ASSERT_EQ(found.valid[i] != 0, judged) << i;
        ASSERT_TRUE(std::ranges::equal(found[i], one)) << i;
      }
    }
}

TEST(MinHasher, DefaultsAreThoseOfDedup) {
  const MinHashOptions options;
  EXPECT_EQ(options.lanes, DedupOptions().lanes);
  EXPECT_EQ(options.windows.window, DedupOptions().windows.window);
  EXPECT_EQ(SimilarityOptions().windows.window, DedupOptions().windows.window);
}

TEST(MinHasher, RefusesLanesThatMakeNoSense) {
  EXPECT_THROW(MinHasher({.lanes = 17}), Error);
  EXPECT_THROW(MinHasher({.windows = {.window = 0}}), Error);
}

TEST(BandKeys, OfManyAreThoseOfEach) {
  std::mt19937 random(4);
  std::vector<std::uint32_t> signatures(200 * std::size_t{64});
  for (std::uint32_t& lane : signatures) lane = static_cast<std::uint32_t>(random());
  const Bands bands = choose_bands(0.7, 0.9, 64);
  std::vector<std::uint32_t> one(bands.bands);
  for (const unsigned threads : kThreads) {
    std::vector<std::uint32_t> keys(std::size_t{200} * bands.bands);
    band_keys(bands, signatures, 64, keys.data(), on(threads));
    for (std::size_t i = 0; i < 200; ++i) {
      band_keys(bands, std::span(signatures).subspan(i * 64, 64), one.data());
      ASSERT_TRUE(std::equal(one.begin(), one.end(), keys.begin() + static_cast<std::ptrdiff_t>(i * bands.bands)));
    }
  }
  EXPECT_THROW(band_keys(bands, std::span(signatures).first(65), 64, one.data(), {}), Error);
  EXPECT_THROW(band_keys({.bands = 65, .rows = 1}, signatures, 64, one.data(), {}), Error);
}

constexpr double kNotJudged = std::numeric_limits<double>::quiet_NaN();

// The slow, obvious way: sets of windows of five words.
double plain_similarity(const std::string& a, const std::string& b) {
  const auto windows = [](const std::string& text) {
    std::istringstream stream(text);
    const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
    std::set<std::vector<std::string>> all;
    for (auto word = words.begin(); words.end() - word >= 5; ++word) all.emplace(word, word + 5);
    return all;
  };
  const auto first = windows(a);
  const auto second = windows(b);
  if (first.empty() || second.empty()) return kNotJudged;
  std::size_t common = 0;
  for (const auto& window : first) common += second.count(window);
  return static_cast<double>(common) / static_cast<double>(first.size() + second.size() - common);
}

TEST(Similarities, AreTheShareOfCommonWindows) {
  Texts texts = hard_texts(5, 80);
  texts[3] = texts[4] = texts[5] = "only words that the oracle can split";
  std::vector<IndexPair> pairs;
  std::vector<double> expected;
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t j = 0; j < texts.size(); ++j) {
      pairs.push_back({i, j});
      expected.push_back(texts[i] && texts[j] ? plain_similarity(*texts[i], *texts[j]) : kNotJudged);
    }
  for (const Layout layout : kLayouts)
    for (const unsigned threads : kThreads) {
      const Column column(texts, layout);
      const std::vector<double> within = similarities(column.view(), pairs, {}, on(threads));
      const std::vector<double> between = similarities(column.view(), column.view(), pairs, {}, on(threads));
      const std::vector<double> high = similarities(column.view(), pairs, {.threshold = 0.8}, on(threads));
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (std::isnan(expected[i])) {
          ASSERT_TRUE(std::isnan(within[i]) && std::isnan(between[i]) && std::isnan(high[i])) << i;
          continue;
        }
        ASSERT_EQ(within[i], expected[i]) << i;
        ASSERT_EQ(between[i], expected[i]) << i;
        ASSERT_EQ(high[i], expected[i] >= 0.8 ? expected[i] : 0) << i;
      }
    }
}

TEST(Similarities, AreTheSameWhereFewSetsFitIntoMemory) {
  std::mt19937_64 random(9);
  Texts texts;
  Words words = random_words(random, 30000);
  for (int i = 0; i < 150; ++i) {
    for (int edit = 0; edit < 200; ++edit) words[random() % words.size()] = "v" + std::to_string(random() % 100000);
    texts.emplace_back(join(words));
  }
  std::vector<IndexPair> pairs;
  for (int i = 0; i < 1000; ++i) pairs.push_back({random() % texts.size(), random() % texts.size()});
  const Column column(texts);
  const std::vector<double> few =
      similarities(column.view(), pairs, {}, {.memory_bytes = kMinMemoryBytes, .threads = 2});
  std::ranges::sort(pairs);
  const std::vector<double> many =
      similarities(column.view(), pairs, {}, {.memory_bytes = std::uint64_t{1} << 30, .threads = 1});
  EXPECT_TRUE(std::ranges::is_permutation(few, many));
}

TEST(Similarities, OfScriptsWithoutSpacesAreOfCharacters) {
  const Column column({"敏捷的棕色狐狸跳过了懒狗", "敏捷的棕色狐狸跳过了懒猫", "\xFF 敏捷的棕色狐狸跳过了懒狗 \xC3"});
  const std::vector<IndexPair> pairs = {{0, 1}, {0, 2}};
  const std::vector<double> found = similarities(column.view(), pairs, {}, {});
  EXPECT_DOUBLE_EQ(found[0], 7.0 / 9);  // 12 characters, 8 windows, the last one differs
  EXPECT_EQ(found[1], 1);
}

TEST(Similarities, RefuseAPairThatIsNotThere) {
  const Column column({"a", "b"});
  const std::vector<IndexPair> pairs = {{0, 2}};
  EXPECT_THROW(similarities(column.view(), pairs, {}, {}), Error);
  EXPECT_THROW(similarities(column.view(), column.view().slice(0, 1), std::vector<IndexPair>{{1, 1}}, {}, {}), Error);
}

// Computes by hand what dedup does: signatures, bands, the pairs that meet, and their true similarity.
TEST(NearDuplicates, ByHandAreThoseOfDedup) {
  const Texts texts = json_texts(6, 400);
  const Column column(texts);
  const DedupOptions defaults;
  const MinHasher hasher;
  const Signatures signatures(hasher, column.view(), {});
  const Bands bands = choose_bands(defaults.threshold, defaults.recall, hasher.lanes());
  std::vector<std::uint32_t> keys(texts.size() * bands.bands);
  band_keys(bands, signatures.numbers, hasher.lanes(), keys.data(), {});
  std::vector<Digest> copies(texts.size());
  digests(column.view(), copies.data(), {});

  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::size_t>> buckets;
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t band = 0; band < bands.bands && signatures.valid[i] != 0; ++band)
      buckets[{band, keys[i * bands.bands + band]}].push_back(i);
  std::set<IndexPair> met;
  for (const auto& [key, members] : buckets)
    for (std::size_t i = 0; i < members.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) met.insert({members[j], members[i]});
  const std::vector<IndexPair> pairs(met.begin(), met.end());
  const std::vector<double> similar = similarities(column.view(), pairs, {.threshold = defaults.threshold}, {});
  std::map<IndexPair, double> matches;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (similar[i] >= defaults.threshold) {
      matches[pairs[i]] = similar[i];
      EXPECT_NEAR(estimated_similarity(signatures[pairs[i].first], signatures[pairs[i].second]), similar[i], 0.25);
    }
  EXPECT_GT(matches.size(), 100U);
  std::string by_hand;  // one letter per text
  for (std::size_t i = 0; i < texts.size(); ++i) {
    bool keep = true;
    for (std::size_t j = 0; j < i && keep; ++j)
      keep = by_hand[j] == '-' || (copies[i] != copies[j] && !matches.contains({j, i}));
    by_hand += keep ? 'k' : '-';
  }

  const World world;
  DedupOptions options;
  options.input.paths = {world.write_lines("in.jsonl", json_records(texts))};
  options.output = world.at("out");
  dedup(options, world.context());
  std::string by_dedup;
  for (const std::string& line : world.lines("out/decisions.jsonl"))
    by_dedup += line.find("\"keep\": true") != std::string::npos ? 'k' : '-';
  EXPECT_EQ(by_hand, by_dedup);
  const std::vector<std::string> rows = world.lines("out/matches.tsv");
  for (std::size_t i = 1; i < rows.size(); ++i) {  // the first row holds the column names
    std::istringstream fields(rows[i]);
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    double similarity = 0;
    fields >> a >> b >> similarity;
    const auto found = matches.find({std::min(a, b), std::max(a, b)});
    ASSERT_NE(found, matches.end()) << rows[i];
    EXPECT_NEAR(found->second, similarity, 1e-5) << rows[i];
  }
  EXPECT_GT(rows.size(), 51U);
}

// These values are stored: any change to them must raise kMinHashVersion.
TEST(MinHasher, GoldenSignatureAndKeys) {
  const MinHasher hasher({.lanes = 16});
  std::vector<std::uint32_t> signature(16);
  ASSERT_TRUE(hasher("the quick brown fox jumps over the lazy dog", signature.data()));
  std::vector<std::uint32_t> keys(4);
  band_keys({.bands = 4, .rows = 4}, signature, keys.data());
  EXPECT_EQ(signature[0], 1638616915U);
  EXPECT_EQ(signature[15], 441673063U);
  EXPECT_EQ(keys, (std::vector<std::uint32_t>{1844565508, 3638613343, 3824643991, 1656143451}));
}

}  // namespace
}  // namespace refrain
