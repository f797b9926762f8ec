#include "verbs/index/blots.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engines/blot/blotter.h"
#include "text/token_hash.h"
#include "verbs/index/test_index.h"

namespace refrain::verbs::index {
namespace {

constexpr IndexLayout kXor = {.window = 4, .blots = BlotKind::xor_all, .sampling = BlotSampling::all, .blot_bits = 32};

std::uint64_t word_hash(std::string_view word) {
  return text::hash_token(HashKind::xxh3, word, 0);
}

std::uint64_t xor_of(const std::vector<std::string>& words) {
  std::uint64_t value = 0;
  for (const std::string& word : words) value ^= word_hash(word);
  return value;
}

std::string hex(std::uint64_t value) {
  std::string text;
  for (; value != 0; value >>= 4U) text.insert(text.begin(), "0123456789abcdef"[value & 15U]);
  return text.empty() ? "0" : text;
}

std::vector<BlotRow> blots(const TestIndex& index, const BlotsOptions& options) {
  Snapshot snapshot(index.path());
  std::vector<BlotRow> rows;
  index_blots(snapshot, options, index.context(), [&](const BlotRow& row) { rows.push_back(row); });
  return rows;
}

std::vector<BlotText> unblot(const TestIndex& index, const BlotsOptions& options) {
  Snapshot snapshot(index.path());
  std::vector<BlotText> rows;
  index_unblot(snapshot, options, index.context(), [&](const BlotText& row) { rows.push_back(row); });
  return rows;
}

std::vector<BlotText> of_files(const std::vector<std::string>& paths, const IndexLayout& layout) {
  InputOptions input;
  input.paths = paths;
  std::vector<BlotText> rows;
  file_blots(input, layout, {.memory_bytes = std::uint64_t{256} << 20U, .threads = 2},
             [&](const BlotText& row) { rows.push_back(row); });
  return rows;
}

TEST(IndexBlots, AreThoseOfAKnownStreamOfTokens) {
  const TestIndex index({"A b, c d", "x c b a", "", "q d c b q", "b c a"}, kXor);
  const std::uint64_t abc = xor_of({"a", "b", "c"}) & 0xffffffff;
  const std::uint64_t bcd = xor_of({"b", "c", "d"}) & 0xffffffff;
  const std::vector<BlotRow> rows = blots(index, {});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].blot, abc);
  EXPECT_EQ(rows[0].digits, 8U);
  EXPECT_EQ(rows[0].ids, (std::vector<std::string>{index.path(0), index.path(1), index.path(4)}));
  EXPECT_EQ(rows[1].blot, bcd);
  EXPECT_EQ(rows[1].ids, (std::vector<std::string>{index.path(0), index.path(3)}));

  EXPECT_EQ(blots(index, {.min_documents = 3}).size(), 1U);
  EXPECT_EQ(blots(index, {.max_documents = 2}).size(), 1U);
  EXPECT_EQ(blots(index, {.min_documents = 1}).size(), 5U);
  ASSERT_EQ(blots(index, {.limit = 1}).size(), 1U);
  EXPECT_EQ(blots(index, {.limit = 1})[0].blot, abc);
}

TEST(IndexBlots, UnblotShowsTheTextBehindOne) {
  const TestIndex index({"A b, c d", "x c b a", "b ! c ! a"}, kXor);
  const std::uint64_t abc = xor_of({"a", "b", "c"}) & 0xffffffff;
  std::string upper = hex(abc);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
  for (const std::string& digits : {hex(abc), "00" + hex(abc), upper}) {
    const std::vector<BlotText> rows = unblot(index, {.unblot = {digits, "1"}});
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].id, index.path(0));
    EXPECT_EQ(rows[0].text, "A b, c");
    EXPECT_EQ(rows[0].bytes, (ByteRange{0, 6}));
    EXPECT_EQ(rows[1].text, "c b a");
    EXPECT_EQ(rows[1].bytes, (ByteRange{2, 7}));
    EXPECT_EQ(rows[2].text, "b ! c ! a");
    EXPECT_EQ(rows[2].blot, abc);
  }
  EXPECT_EQ(unblot(index, {.limit = 2, .unblot = {hex(abc)}}).size(), 2U);
}

TEST(IndexBlots, RefusesWhatIsNoBlot) {
  const TestIndex index({"a b c d"}, kXor);
  for (const char* bad : {"", "g", "0x12", "-1", " 1", "100000000", "11111111111111111"}) {
    try {
      unblot(index, {.unblot = {"1", bad}});
      ADD_FAILURE() << "taken: " << bad;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::invalid_argument);
    }
  }
}

TEST(IndexBlots, UnblotNamesAChangedFileOnceTheOthersWereShown) {
  const TestIndex index({"a b c d", "x a b c", "a b c"}, kXor);
  index.write(index.path(0), "a b c e");
  Snapshot snapshot(index.path());
  std::vector<std::string> ids;
  try {
    index_unblot(snapshot, {.unblot = {hex(xor_of({"a", "b", "c"}) & 0xffffffff)}}, index.context(),
                 [&](const BlotText& row) { ids.push_back(row.id); });
    ADD_FAILURE() << "nobody noticed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_NE(std::string(error.what()).find(index.path(0)), std::string::npos);
  }
  EXPECT_EQ(ids, (std::vector<std::string>{index.path(1), index.path(2)}));
}

// file_blots() reports the same blots for the files as the index does, and every place that is unblotted is one of
// its rows.
TEST(IndexBlots, OfFilesAreThoseOfTheIndex) {
  std::mt19937_64 random(4);
  std::vector<std::string> texts;
  std::vector<std::string> paths;
  for (int i = 0; i < 12; ++i) texts.push_back(join(random_words(random, random() % 3000, 20 + random() % 3000)));
  for (const IndexLayout& layout :
       {IndexLayout{.blot_bits = 30}, kXor, IndexLayout{.interleave = 2, .blot_bits = 24}}) {
    const TestIndex index(texts, layout);
    paths.clear();
    for (std::size_t i = 0; i < texts.size(); ++i) paths.push_back(index.path(i));
    std::map<std::uint64_t, std::set<std::string>> expected;
    std::map<std::uint64_t, std::multiset<std::pair<std::string, std::uint64_t>>> places;
    for (const BlotText& row : of_files(paths, layout)) {
      expected[row.blot].insert(row.id);
      places[row.blot].emplace(row.id, row.bytes.begin);
      EXPECT_EQ(row.digits, (layout.blot_bits + 3) / 4);
      EXPECT_EQ(row.text, TestIndex::slice(texts[index.number(row.id)], row.bytes));
    }
    ASSERT_GT(expected.size(), 1000U);

    const std::vector<BlotRow> rows = blots(index, {.min_documents = 1});
    ASSERT_EQ(rows.size(), expected.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(std::vector<std::string>(expected[rows[i].blot].begin(), expected[rows[i].blot].end()), rows[i].ids);
      EXPECT_TRUE(i == 0 || rows[i - 1].ids.size() > rows[i].ids.size() ||
                  (rows[i - 1].ids.size() == rows[i].ids.size() && rows[i - 1].blot < rows[i].blot));
    }
    for (std::size_t i = 0; i < rows.size(); i += 97) {
      std::multiset<std::pair<std::string, std::uint64_t>> shown;
      for (const BlotText& row : unblot(index, {.unblot = {hex(rows[i].blot)}})) shown.emplace(row.id, row.bytes.begin);
      EXPECT_EQ(shown, places[rows[i].blot]);
    }
  }
}

TEST(IndexBlots, OfFilesHaveSixtyFourBitsWhereNobodySaidOtherwise) {
  const TestIndex index({"a b c d e"}, kXor);
  IndexLayout layout = kXor;
  layout.blot_bits = 0;
  const std::vector<BlotText> rows = of_files({index.path(0)}, layout);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[1].blot, xor_of({"b", "c", "d"}));
  EXPECT_EQ(rows[1].digits, 16U);
  EXPECT_EQ(rows[1].text, "b c d");
}

}  // namespace
}  // namespace refrain::verbs::index
