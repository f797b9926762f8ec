#include "refrain/substrings.h"
#include "verbs/dedup/test_dedup.h"

namespace refrain::verbs::dedup {
namespace {

using DedupMethods = DedupTest;

TEST_F(DedupMethods, SimHashDecidesAsTheDefinitionSays) {
  std::mt19937_64 random(13);
  std::vector<std::string> texts;
  std::vector<Words> originals;
  for (int i = 0; i < 30; ++i) originals.push_back(random_words(random, 300));
  for (int i = 0; i < 300; ++i) {
    Words words = originals[random() % originals.size()];
    if (random() % 3 != 0) words[random() % words.size()] = "changed" + std::to_string(random() % 4);
    texts.push_back(join(words));
  }
  DedupOptions wanted = options(given(texts));
  wanted.near = NearMethod::simhash;
  wanted.distance = 20;  // enough for one changed word in 300
  run(wanted);
  const std::vector<Decided> expected = plain(texts, 0.8);
  const std::vector<Decided> found = decided();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].keep, expected[i].keep) << i;
    EXPECT_EQ(found[i].reason, expected[i].reason) << i;
    EXPECT_EQ(found[i].match, expected[i].match) << i;
  }
}

TEST_F(DedupMethods, ABadRecordDoesNotShiftTheFingerprintsOfOthers) {
  std::mt19937_64 random(19);
  std::vector<std::string> texts;
  for (int i = 0; i < 20; ++i) texts.push_back(join(random_words(random, 100)));
  for (int i = 0; i < 20; ++i) texts.push_back(texts[static_cast<std::size_t>(i)] + " !");
  const std::string input = given(texts);
  write(input, "no record\n" + read(input));
  DedupOptions wanted = options(input);
  wanted.near = NearMethod::simhash;
  wanted.distance = 0;
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.read.bad_records, 1U);
  EXPECT_EQ(report.removed_near, 20U);
}

TEST_F(DedupMethods, SubstringsAreCutOutOfWhatIsKept) {
  std::mt19937_64 random(14);
  std::vector<std::string> passages;
  for (int i = 0; i < 5; ++i) passages.push_back(join(random_words(random, 30)));
  std::vector<std::string> texts;
  for (int i = 0; i < 60; ++i) {
    texts.push_back(join(random_words(random, 40)) + " " + passages[random() % 5] + " \u00e4\u00f6 " +
                    join(random_words(random, 40)));
    if (i % 5 == 0) texts.push_back(texts.back());
  }
  const std::string input = given(texts);
  DedupOptions first = options(input, "first");
  first.near = NearMethod::off;
  first.apply = true;
  run(first);
  SubstringsOptions cut;
  cut.input.paths = {at("first/clean/in.jsonl")};
  cut.output = at("cut");
  cut.length = 60;
  cut.apply = true;
  Context context;
  const SubstringsReport expected = substrings(cut, context);
  ASSERT_GT(expected.removed_bytes, 1000U);
  DedupOptions both = options(input, "both");
  both.near = NearMethod::off;
  both.substrings = 60;
  both.apply = true;
  const DedupReport report = run(both);
  EXPECT_EQ(report.ranges, expected.ranges);
  EXPECT_EQ(report.cut_bytes, expected.removed_bytes);
  EXPECT_EQ(read("both/clean/in.jsonl"), read("cut/clean/in.jsonl"));
}

TEST_F(DedupMethods, DocumentOfNothingButRepeatedRangesIsRemoved) {
  std::mt19937_64 random(15);
  const std::string passage = join(random_words(random, 40));
  DedupOptions wanted =
      options(given(std::vector<std::string>{passage + " and " + join(random_words(random, 200)), passage}));
  wanted.substrings = 50;
  wanted.apply = true;
  const DedupReport report = run(wanted);
  EXPECT_EQ(report.removed_substring, 1U);
  EXPECT_EQ(report.kept, 1U);
  EXPECT_EQ(kept(), "k-");
  EXPECT_EQ(decided()[1].reason, "substring");
  const std::string clean = read("out/clean/in.jsonl");
  EXPECT_EQ(std::count(clean.begin(), clean.end(), '\n'), 1);
}

TEST_F(DedupMethods, AnnotatedCopiesSayWhatWasDecided) {
  std::mt19937_64 random(17);
  const std::string text = join(random_words(random, 100));
  const std::string input = given(std::vector<std::string>{text, text, text + " more", join(random_words(random, 100)),
                                                           text + " and " + join(random_words(random, 17))});
  DedupOptions wanted = options(input);
  wanted.annotate = true;
  run(wanted);
  std::vector<std::string> before = lines(input);
  std::vector<std::string> added = lines("out/annotated/in.jsonl");
  ASSERT_EQ(added.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) {
    before[i].pop_back();
    ASSERT_TRUE(added[i].starts_with(before[i])) << added[i];
    added[i].erase(0, before[i].size());
  }
  EXPECT_EQ(added[0], R"(,"dup_cluster_id":0,"dup_cluster_size":4,"dup_keep":true,"dup_reason":null,"dup_match":null,)"
                      R"("dup_similarity":null,"dup_lost":null,"dup_longest_lost":null})");
  EXPECT_EQ(added[1],
            R"(,"dup_cluster_id":0,"dup_cluster_size":4,"dup_keep":false,"dup_reason":"exact","dup_match":"0",)"
            R"("dup_similarity":1,"dup_lost":null,"dup_longest_lost":null})");
  EXPECT_TRUE(added[2].starts_with(
      R"(,"dup_cluster_id":0,"dup_cluster_size":4,"dup_keep":false,"dup_reason":"near","dup_match":"0",)"
      R"("dup_similarity":0.98)"))
      << added[2];
  EXPECT_TRUE(added[2].ends_with(R"(,"dup_lost":1,"dup_longest_lost":1})")) << added[2];
  EXPECT_EQ(added[3],
            R"(,"dup_cluster_id":null,"dup_cluster_size":1,"dup_keep":true,"dup_reason":null,"dup_match":null,)"
            R"("dup_similarity":null,"dup_lost":null,"dup_longest_lost":null})");
  EXPECT_TRUE(added[4].starts_with(
      R"(,"dup_cluster_id":0,"dup_cluster_size":4,"dup_keep":true,"dup_reason":"own_text","dup_match":"0",)"))
      << added[4];
  EXPECT_TRUE(added[4].ends_with(R"(,"dup_lost":18,"dup_longest_lost":18})")) << added[4];
}

TEST_F(DedupMethods, PresetsAreWhatTheySay) {
  EXPECT_EQ(dedup_preset("report").near, NearMethod::simhash);
  EXPECT_EQ(dedup_preset("report").close, 3U);
  EXPECT_EQ(dedup_preset("strict").threshold, 0.7);
  EXPECT_THROW(dedup_preset("none"), Error);
  // Fingerprints that differ in four bits match for short texts only.
  std::mt19937_64 random(16);
  std::vector<std::string> texts;
  for (int i = 0; i < 40; ++i) {
    Words words = random_words(random, i % 2 == 0 ? 100 : 400);
    texts.push_back(join(words));
    for (std::size_t at = 50; at < words.size(); at += 60) words[at] = "other";
    texts.push_back(join(words));
  }
  const std::string input = given(texts);
  DedupOptions wanted = dedup_preset("report");
  wanted.input.paths = {input};
  wanted.output = at("preset");
  wanted.distance = 10;
  wanted.close = 0;
  wanted.substrings = 0;
  const DedupReport report = run(wanted);
  EXPECT_GT(report.removed_near, 10U);
  const std::vector<Decided> rows = decided("preset");
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_TRUE(rows[i].keep || texts[i].size() <= 1024U) << i;
  // The self-check applies the rule for short texts, too.
  EXPECT_EQ(report.check.missed, 0U);
  EXPECT_EQ(report.check.below, 0U);
}

}  // namespace
}  // namespace refrain::verbs::dedup
