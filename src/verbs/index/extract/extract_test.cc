#include "verbs/index/extract/test_extract.h"

namespace refrain::verbs::index {
namespace {

TEST(Extract, FindsACopyWithItsBytes) {
  std::mt19937_64 random(1);
  const Words passage = rare_words(random, 20);
  TestExtract world({join(rare_words(random, 30) + passage + rare_words(random, 7)), join(rare_words(random, 50)),
                     join(passage + rare_words(random, 40))});
  const std::vector<Passage> found = world.extract();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].head.text, join(passage));
  EXPECT_EQ(found[0].head.length, 20U);
  EXPECT_EQ(found[0].head.similarity, 1);
  EXPECT_EQ(ids_of(found[0]), (std::vector<std::string>{"0", "2"}));
  EXPECT_EQ(found[0].occurrences[1].bytes.begin, 0U);
  EXPECT_EQ(world.report.documents, 3U);
  EXPECT_EQ(world.report.occurrences, 2U);
}

TEST(Extract, HeaderOfManyDocumentsIsOnePassage) {
  std::mt19937_64 random(2);
  const Words header = rare_words(random, 60);
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(join(header + rare_words(random, 80)));
  TestExtract world(texts);
  const std::vector<Passage> found = world.extract();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].head.documents, 300U);
  EXPECT_EQ(found[0].occurrences.size(), 300U);
  EXPECT_EQ(found[0].head.text, join(header));
  // An anchor has a few links, whatever the number of documents.
  EXPECT_LT(world.report.links, 300U * 60U * 2U);
}

// Makes random texts that share many runs. Every exact run of `window` tokens that an earlier document holds must
// lie in a place of a passage, and nothing that is reported may contain a difference.
void expect_exact(const IndexLayout& layout, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Words> pool;
  for (std::size_t i = 0; i < 40; ++i) pool.push_back(rare_words(random, 5 + i));
  std::vector<Words> documents;
  for (int i = 0; i < 60; ++i) {
    Words words;
    for (int k = 0; k < 6; ++k) {
      words = words + rare_words(random, 20 + random() % 20);
      const Words& from = pool[random() % pool.size()];
      const std::size_t begin = random() % 3;
      const std::size_t length = std::max<std::size_t>(from.size() - begin - random() % 3, 1);
      words = words + part(from, begin, std::min(length, from.size() - begin));
    }
    documents.push_back(words);
  }
  std::vector<std::string> texts;
  for (const Words& words : documents) texts.push_back(join(words));
  TestExtract world(texts, layout);
  const std::vector<Passage> found = world.extract();

  // By document and word: whether a place covers it.
  std::vector<std::vector<bool>> covered;
  for (const Words& words : documents) covered.emplace_back(words.size());
  for (const Passage& passage : found) {
    for (std::size_t k = 0; k < passage.occurrences.size(); ++k) {
      const Occurrence& occurrence = passage.occurrences[k];
      EXPECT_EQ(occurrence.shared, (std::vector<ByteRange>{{0, occurrence.text.size()}}));
      EXPECT_NE(passage.head.text.find(occurrence.text), std::string::npos);
      const std::size_t document = std::stoul(occurrence.id);
      std::uint64_t at = 0;
      for (std::size_t i = 0; i < documents[document].size(); ++i) {
        if (k > 0 && at >= occurrence.bytes.begin && at < occurrence.bytes.end) covered[document][i] = true;
        at += documents[document][i].size() + 1;
      }
    }
  }
  std::map<Words, std::size_t> first;  // the first document that holds a run
  std::vector<std::vector<bool>> expected;
  std::size_t runs = 0;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    const Words& words = documents[d];
    expected.emplace_back(words.size());
    for (std::size_t i = 0; i + layout.window <= words.size(); ++i) {
      const Words run = part(words, i, layout.window);
      if (first.emplace(run, d).first->second == d) continue;
      ++runs;
      std::fill_n(expected[d].begin() + static_cast<std::ptrdiff_t>(i), layout.window, true);
    }
  }
  EXPECT_GT(runs, 500U);
  // Copies within one document are places too if another document has them. Nothing else may be a place.
  std::size_t missed = 0;
  std::size_t wrong = 0;
  for (std::size_t d = 0; d < documents.size(); ++d) {
    std::map<Words, std::size_t> own;
    std::vector<bool> inside(documents[d].size());
    for (std::size_t i = 0; i + layout.window <= documents[d].size(); ++i) {
      const Words run = part(documents[d], i, layout.window);
      if (!own.emplace(run, i).second)
        std::fill_n(inside.begin() + static_cast<std::ptrdiff_t>(i), layout.window, true);
    }
    for (std::size_t i = 0; i < documents[d].size(); ++i) {
      if (expected[d][i] && !covered[d][i]) ++missed;
      if (!expected[d][i] && !inside[i] && covered[d][i]) ++wrong;
    }
  }
  EXPECT_EQ(missed, 0U);
  EXPECT_EQ(wrong, 0U);
}

TEST(Extract, FindsEveryExactRunAndNothingElse) {
  for (const unsigned window : {4U, 10U, 15U}) {
    IndexLayout layout;
    layout.window = window;
    expect_exact(layout, 10 + window);
  }
}

TEST(Extract, FindsEveryExactRunWithBlotsThatDoNotKnowOrder) {
  for (const BlotKind kind : {BlotKind::sum, BlotKind::xor_all}) {
    IndexLayout layout;
    layout.blots = kind;
    expect_exact(layout, 20);
    layout.sampling = BlotSampling::all;
    expect_exact(layout, 21);
  }
}

// In each passage of 30 words, one word in ten is replaced, lost, or preceded by an inserted one.
TEST(Extract, BridgesNoise) {
  std::mt19937_64 random(3);
  std::vector<std::string> texts;
  std::vector<std::string> copies;
  for (int i = 0; i < 200; ++i) {
    const Words passage = rare_words(random, 30);
    texts.push_back(join(rare_words(random, 30) + passage + rare_words(random, 30)));
    Words noisy;
    for (const std::string& word : passage) {
      const std::uint64_t dice = random() % 30;
      if (dice == 0) continue;
      if (dice <= 2) noisy.push_back("noise" + std::to_string(random() % 1'000'000));
      if (dice != 1) noisy.push_back(word);
    }
    copies.push_back(join(rare_words(random, 30) + noisy + rare_words(random, 30)));
  }
  texts.insert(texts.end(), copies.begin(), copies.end());
  TestExtract world(texts);
  const std::vector<Passage> found = world.extract();
  std::size_t right = 0;
  for (const Passage& passage : found) {
    ASSERT_EQ(passage.occurrences.size(), 2U);
    EXPECT_EQ(std::stoul(passage.occurrences[0].id) + 200, std::stoul(passage.occurrences[1].id));
    if (passage.head.length >= 24) ++right;
  }
  EXPECT_GE(right, 190U);
}

TEST(Extract, AttributesVariantsToTheEarliest) {
  std::mt19937_64 random(4);
  const Words passage = rare_words(random, 80);
  std::vector<std::string> texts;
  for (int i = 0; i < 20; ++i) {
    Words variant = passage;
    variant[30 + static_cast<std::size_t>(i)] = "only" + std::to_string(i);
    texts.push_back(join(rare_words(random, 20) + variant + rare_words(random, 20)));
  }
  TestExtract world(texts);
  const std::vector<Passage> found = world.extract();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].occurrences.size(), 20U);
  EXPECT_EQ(found[0].head.length, 80U);
}

TEST(Extract, OtherOrderIsNoPassage) {
  std::mt19937_64 random(5);
  const Words passage = rare_words(random, 10);
  Words turned = passage;
  std::reverse(turned.begin(), turned.end());
  IndexLayout layout;
  layout.blots = BlotKind::xor_all;
  layout.sampling = BlotSampling::all;
  TestExtract world({join(passage), join(turned)}, layout);
  EXPECT_TRUE(world.extract().empty());
  EXPECT_EQ(world.report.blots, 5U);  // they were candidates
}

TEST(Extract, EveryOtherTokenIsEnoughWithInterleaving) {
  std::mt19937_64 random(6);
  const Words passage = rare_words(random, 40);
  Words other = passage;
  for (std::size_t i = 1; i < other.size(); i += 2) other[i] = "x" + std::to_string(random());
  const std::vector<std::string> texts{join(rare_words(random, 9) + passage), join(other + rare_words(random, 9))};
  IndexLayout layout;
  layout.interleave = 2;
  TestExtract interleaved(texts, layout);
  const std::vector<Passage> found = interleaved.extract();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].occurrences[1].shared.size(), 20U);
  EXPECT_TRUE(TestExtract(texts).extract().empty());
}

TEST(Extract, LeavesOutWhatWasAskedToBe) {
  std::mt19937_64 random(7);
  const Words header = rare_words(random, 40);
  const Words passage = rare_words(random, 25);
  std::vector<std::string> texts;
  for (int i = 0; i < 10; ++i) {
    Words words = header + rare_words(random, 30);
    if (i < 4) words = words + passage;
    texts.push_back(join(words));
  }
  TestExtract world(texts);
  ExtractOptions options;
  EXPECT_EQ(world.extract(options).size(), 2U);
  options.limit = 1;
  const std::vector<Passage> first = world.extract(options);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].head.documents, 10U);
  options = {};
  options.min_documents = 5;
  EXPECT_EQ(world.extract(options).size(), 1U);
  options = {};
  options.limits.exclude = {join(header)};
  const std::vector<Passage> rest = world.extract(options);
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].head.text, join(passage));
  options = {};
  options.limits.max_documents = 6;
  ASSERT_EQ(world.extract(options).size(), 1U);
  options = {};
  options.limits.min_tokens = 30;
  ASSERT_EQ(world.extract(options).size(), 1U);
}

TEST(Extract, IsTheSameForAnyThreadsAndMemory) {
  std::mt19937_64 random(8);
  const Words shared = random_words(random, 400, 150);  // contains repeats
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) {
    Words words;
    for (int k = 0; k < 12; ++k) {
      const std::size_t begin = random() % 350;
      words = words + rare_words(random, random() % 20) + part(shared, begin, random() % 50);
    }
    texts.push_back(join(words));
  }
  TestExtract world(texts);
  const std::string expected = all_of(world.extract({}, 1));
  EXPECT_GT(expected.size(), 1000U);
  EXPECT_EQ(all_of(world.extract({}, 2)), expected);
  EXPECT_EQ(all_of(world.extract({}, 3)), expected);
  EXPECT_EQ(all_of(world.extract({}, 2, kMinMemoryBytes)), expected);
}

// All anchors are equal, so that a quadratic algorithm would not finish.
TEST(Extract, OneWordOverAndOverCostsWhatItIsLong) {
  const Words word(100'000, "again");
  TestExtract world({join(word), join(word), "something else"});
  const std::vector<Passage> found = world.extract();
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].head.documents, 2U);
  EXPECT_EQ(found[0].head.length, 100'000U);
}

TEST(Extract, NamesDocumentsThatHaveChanged) {
  std::mt19937_64 random(9);
  const Words passage = rare_words(random, 20);
  const TestIndex world({join(passage + rare_words(random, 5)), join(rare_words(random, 5) + passage), join(passage)});
  world.write(world.path(0), join(rare_words(random, 25)));
  Snapshot snapshot(world.path());
  KeptPassages kept;
  const ExtractReport report = extract_passages(snapshot, {}, world.context(2, TestExtract::kMemory), kept);
  ASSERT_EQ(kept.passages.size(), 1U);
  ASSERT_EQ(kept.passages[0].occurrences.size(), 2U);
  EXPECT_EQ(kept.passages[0].occurrences[0].id, world.path(1));
  ASSERT_EQ(report.changed.size(), 1U);
  EXPECT_EQ(report.changed[0].id, world.path(0));
  EXPECT_EQ(report.changed_documents, 1U);
  EXPECT_EQ(report.documents, 2U);
}

TEST(Extract, CountsEveryChangedDocumentOnce) {
  constexpr std::size_t kDocuments = 45;  // more than the report names
  std::mt19937_64 random(10);
  std::vector<Words> passages;
  for (int i = 0; i < 3; ++i) passages.push_back(rare_words(random, 30));
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < kDocuments; ++i) {
    Words words;
    for (const Words& passage : passages) words = words + rare_words(random, 40) + passage;
    texts.push_back(join(words));
  }
  const TestIndex world(texts);
  // When the first passage is reported, all documents change except the one that holds the passages first.
  struct Meddler : KeptPassages {
    std::function<void()> meddle;
    void begin(const PassageHead& head) override {
      if (passages.empty()) meddle();
      KeptPassages::begin(head);
    }
  } meddler;
  meddler.meddle = [&] {
    for (std::size_t i = 1; i < kDocuments; ++i) world.write(world.path(i), "changed");
  };
  Snapshot snapshot(world.path());
  const ExtractReport report = extract_passages(snapshot, {}, world.context(1, TestExtract::kMemory), meddler);
  ASSERT_EQ(meddler.passages.size(), 1U);
  EXPECT_EQ(report.changed_documents, kDocuments - 1);
  EXPECT_EQ(report.changed.size(), 20U);
}

}  // namespace
}  // namespace refrain::verbs::index
