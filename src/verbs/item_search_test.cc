#include "refrain/item_search.h"

#include <algorithm>
#include <sstream>

#include "refrain/dedup.h"
#include "refrain/error.h"
#include "verbs/test_kernels.h"

namespace refrain {
namespace {

std::vector<std::string> split(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Returns the least number of words to change, insert or delete so that some stretch of the text equals the item.
std::size_t plain_distance(const std::vector<std::string>& item, const std::vector<std::string>& text) {
  std::vector<std::size_t> before(item.size() + 1);
  for (std::size_t i = 0; i <= item.size(); ++i) before[i] = i;
  std::size_t best = item.size();
  for (const std::string& word : text) {
    std::vector<std::size_t> now(item.size() + 1, 0);
    for (std::size_t i = 1; i <= item.size(); ++i)
      now[i] = std::min({before[i - 1] + (item[i - 1] == word ? 0 : 1), before[i] + 1, now[i - 1] + 1});
    best = std::min(best, now.back());
    before = now;
  }
  return best;
}

std::size_t longest_common_run(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t best = 0;
  std::vector<std::size_t> before(b.size() + 1, 0);
  for (const std::string& word : a) {
    std::vector<std::size_t> now(b.size() + 1, 0);
    for (std::size_t j = 1; j <= b.size(); ++j)
      best = std::max(best, now[j] = b[j - 1] == word ? before[j - 1] + 1 : 0);
    before = now;
  }
  return best;
}

struct Planted {
  Texts items;
  Texts texts;
};

Planted random_planted(unsigned seed) {
  std::mt19937_64 random(seed);
  Planted planted;
  std::vector<Words> originals;
  for (int i = 0; i < 30; ++i) originals.push_back(random_words(random, 5 + random() % 80));
  for (const auto& words : originals) planted.items.emplace_back(join(words));
  planted.items.emplace_back(std::nullopt);
  planted.items.emplace_back("");
  planted.items.push_back(planted.items[4]);
  for (int i = 0; i < 200; ++i) {
    Words words = random_words(random, random() % 60);
    for (std::size_t pasted = random() % 3; pasted > 0; --pasted) {
      Words item = originals[random() % originals.size()];
      for (std::size_t edits = random() % (item.size() / 3 + 1); edits > 0; --edits)
        item[random() % item.size()] = "edited";
      const auto at = words.begin() + static_cast<std::ptrdiff_t>(random() % (words.size() + 1));
      words.insert(at, item.begin(), item.end());
    }
    planted.texts.emplace_back(join(words));
    if (i % 17 == 0) planted.texts.emplace_back(std::nullopt);
  }
  return planted;
}

TEST(ItemSearcher, FindsWhatAPlainScanFinds) {
  const Planted planted = random_planted(1);
  const ItemRules rules{.min_tokens = 8, .share = 0.8, .passage = 12};
  const Column items(planted.items);
  const ItemSearcher searcher(items.view(), rules, on(1));
  ASSERT_EQ(searcher.size(), planted.items.size());
  EXPECT_EQ(searcher.first_like(32), 4U);
  EXPECT_TRUE(searcher.skipped(30));
  EXPECT_TRUE(searcher.skipped(31));
  EXPECT_EQ(searcher.common(), 0U);
  const Column column(planted.texts);
  const ListColumn<FoundItem> found = searcher.find(column.view(), on(2));
  ASSERT_EQ(found.size(), planted.texts.size());
  std::size_t whole = 0;
  std::size_t in_part = 0;
  for (std::size_t i = 0; i < planted.texts.size(); ++i) {
    std::size_t next = 0;
    for (std::size_t k = 0; k < planted.items.size() && planted.texts[i]; ++k) {
      if (!planted.items[k] || searcher.first_like(k) != k) continue;
      const std::vector<std::string> item = split(*planted.items[k]);
      EXPECT_EQ(searcher.skipped(k), item.size() < 8);
      if (searcher.skipped(k)) continue;
      const std::vector<std::string> text = split(*planted.texts[i]);
      const std::size_t distance = plain_distance(item, text);
      const bool stands = distance * 5 <= item.size();
      const std::size_t run = longest_common_run(item, text);
      if (!stands && run < 12) continue;
      ASSERT_LT(next, found[i].size()) << i << ' ' << k;
      const FoundItem& one = found[i][next++];
      EXPECT_EQ(one.item, k);
      const auto size = static_cast<double>(item.size());
      EXPECT_DOUBLE_EQ(one.share, stands ? 1 - static_cast<double>(distance) / size : static_cast<double>(run) / size);
      const std::vector<std::string> there =
          split(planted.texts[i]->substr(one.where.begin, one.where.end - one.where.begin));
      EXPECT_EQ(stands ? plain_distance(item, there) : longest_common_run(item, there), stands ? distance : run);
      (stands ? whole : in_part) += 1;
    }
    EXPECT_EQ(next, found[i].size()) << i;
  }
  EXPECT_GT(whole, 50U);
  EXPECT_GT(in_part, 10U);
}

TEST(ItemSearcher, GivesTheSameForAnyThreadsLayoutAndCut) {
  const Planted planted = random_planted(2);
  std::vector<std::string> strings;
  for (const auto& item : planted.items) strings.push_back(item.value_or(""));
  const ListColumn<FoundItem> expected = [&] {
    const Column items(planted.items);
    const Column column(planted.texts);
    return ItemSearcher(items.view(), {.passage = 20}, on(1)).find(column.view(), on(1));
  }();
  for (const Layout layout : kLayouts) {
    const Column items(planted.items, layout);
    const Column column(planted.texts, layout);
    const ItemSearcher searcher(items.view(), {.passage = 20}, on(1));
    const ItemSearcher from_strings(strings, {.passage = 20}, on(1));
    for (const unsigned threads : kThreads) {
      const ListColumn<FoundItem> found = searcher.find(column.view(), on(threads));
      EXPECT_EQ(found.offsets, expected.offsets);
      EXPECT_EQ(found.values, expected.values);
      EXPECT_EQ(from_strings.find(column.view(), on(threads)).values, expected.values);
    }
    for (std::size_t i = 0; i < planted.texts.size(); i += 29)
      EXPECT_TRUE(std::ranges::equal(searcher.find(column.view().slice(i, 1), on(1))[0], expected[i]));
  }
}

TEST(ItemSearcher, FindsItemsInOtherScriptsAndBetweenBrokenBytes) {
  const std::vector<std::string> items = {"敏捷的棕色狐狸跳过了懒狗", "one two three four five six seven eight"};
  const ItemSearcher searcher(items, {}, {});
  const Column texts(
      {"他说：敏捷的棕色狐狸，跳过了懒狗。", "\xFF ONE two, three\nfour \xC3 five six seven eight!", "none"});
  const ListColumn<FoundItem> found = searcher.find(texts.view(), {});
  ASSERT_EQ(found.offsets, (std::vector<std::int64_t>{0, 1, 2, 2}));
  EXPECT_EQ(found[0][0].item, 0U);
  EXPECT_EQ(found[0][0].share, 1);
  EXPECT_EQ(found[1][0], (FoundItem{1, 1, {2, 44}}));
}

TEST(ItemSearcher, TakesSetsOfNothing) {
  const Column texts({"one two three four five six seven eight nine"});
  EXPECT_TRUE(ItemSearcher(TextColumn(), {}, {}).find(texts.view(), {}).values.empty());
  EXPECT_EQ(ItemSearcher(TextColumn(), {}, {}).find(TextColumn(), {}).size(), 0U);
}

TEST(ItemSearcher, RefusesRulesThatMakeNoSense) {
  for (const ItemRules& rules :
       {ItemRules{.min_tokens = 0}, ItemRules{.share = 0.5}, ItemRules{.share = 1.1}, ItemRules{.passage = 7}})
    EXPECT_THROW(ItemSearcher(TextColumn(), rules, {}), Error);
}

TEST(ItemSearcher, DefaultsAreThoseOfDedup) {
  EXPECT_EQ(ItemRules().min_tokens, DedupOptions().against_min);
  EXPECT_EQ(ItemRules().share, DedupOptions().against_share);
  EXPECT_EQ(ItemRules().passage, DedupOptions().against_passage);
}

}  // namespace
}  // namespace refrain
