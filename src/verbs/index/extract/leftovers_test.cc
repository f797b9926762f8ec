// Tests for runs that a noisy place would hide.
#include "verbs/index/extract/test_extract.h"

namespace refrain::verbs::index {
namespace {

// The later document holds `run` inside a copy of a longer passage, whose halves the earlier document holds apart.
TEST(Extract, RunInsideANoisyPlaceIsToldAtItsOwnEarliest) {
  std::mt19937_64 random(11);
  const Words left = rare_words(random, 30);
  const Words right = rare_words(random, 30);
  const Words other = rare_words(random, 4);
  const Words run = Words(left.end() - 3, left.end()) + other + Words(right.begin(), right.begin() + 3);
  TestExtract world({join(rare_words(random, 20) + left + rare_words(random, 4) + right + rare_words(random, 50) + run +
                          rare_words(random, 20)),
                     join(rare_words(random, 20) + left + other + right + rare_words(random, 20))});
  const std::vector<Passage> found = world.extract();
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].head.length, 64U);
  EXPECT_EQ(found[1].head.text, join(run));
  EXPECT_EQ(ids_of(found[1]), (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(found[1].occurrences[1].text, join(run));
}

// Counts the runs of `window` words that several documents hold, none of them twice, and that lie in no reported place.
std::size_t unreported_runs(const std::vector<Words>& documents, const std::vector<Passage>& found,
                            std::size_t window) {
  std::vector<std::vector<std::uint64_t>> begins;  // by document: where words begin, and where the next one would
  std::vector<std::vector<bool>> reported;         // by document and first word
  for (const Words& words : documents) {
    begins.emplace_back(1, 0);
    for (const std::string& word : words) begins.back().push_back(begins.back().back() + word.size() + 1);
    reported.emplace_back(words.size());
  }
  for (const Passage& passage : found) {
    for (const Occurrence& occurrence : passage.occurrences) {
      const std::size_t document = std::stoul(occurrence.id);
      const auto& at = begins[document];
      auto first =
          static_cast<std::size_t>(std::lower_bound(at.begin(), at.end(), occurrence.bytes.begin) - at.begin());
      for (; first + window < at.size() && at[first + window] <= occurrence.bytes.end + 1; ++first)
        reported[document][first] = true;
    }
  }
  struct Holders {
    std::set<std::size_t> documents;
    std::size_t places = 0;
    std::size_t missed = 0;
  };
  std::unordered_map<std::string, Holders> runs;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    const std::string text = join(documents[d]);
    for (std::size_t i = 0; i + window <= documents[d].size(); ++i) {
      Holders& holders = runs[text.substr(begins[d][i], begins[d][i + window] - 1 - begins[d][i])];
      holders.documents.insert(d);
      ++holders.places;
      if (!reported[d][i]) ++holders.missed;
    }
  }
  std::size_t missed = 0;
  for (const auto& [run, holders] : runs)
    if (holders.documents.size() > 1 && holders.documents.size() == holders.places) missed += holders.missed;
  return missed;
}

// Paragraphs that resemble each other, as in a table of settings: places of one passage may overlap.
TEST(Extract, RunsOfTextThatResemblesItselfAreTold) {
  std::mt19937_64 random(13);
  std::vector<Words> documents;
  for (int pair = 0; pair < 300; ++pair) {
    const Words paragraph = rare_words(random, 14);
    const Words settings = rare_words(random, 6);
    for (int i = 0; i < 2; ++i) {
      Words words;
      for (int k = 0; k < 12; ++k) {
        words = words + paragraph;
        for (int change = 0; change < 2; ++change)
          words[words.size() - 1 - random() % paragraph.size()] = settings[random() % settings.size()];
      }
      documents.push_back(words);
    }
  }
  std::vector<std::string> texts;
  for (const Words& words : documents) texts.push_back(join(words));
  EXPECT_EQ(unreported_runs(documents, TestExtract(texts).extract(), 10), 0U);
}

// Each version differs from the previous one in a single word, so the text around a change first occurs in another
// version than the rest of the text.
TEST(Extract, VersionsCostWhatTheyAreLong) {
  std::mt19937_64 random(12);
  std::vector<Words> versions{rare_words(random, 2000)};
  while (versions.size() < 300) {
    versions.push_back(versions.back());
    versions.back()[random() % 2000] = rare_words(random, 1)[0];
  }
  std::vector<std::string> texts;
  for (const Words& words : versions) texts.push_back(join(words));
  TestExtract world(texts);
  const std::vector<Passage> found = world.extract();
  EXPECT_EQ(unreported_runs(versions, found, 10), 0U);
  EXPECT_GE(world.report.grown_tokens, 299U * 2000U);
  EXPECT_LT(world.report.grown_tokens, 16U * world.report.tokens) << found.size() << " passages";
}

}  // namespace
}  // namespace refrain::verbs::index
