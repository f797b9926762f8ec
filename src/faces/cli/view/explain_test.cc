#include "faces/cli/view/explain.h"

#include <gtest/gtest.h>

#include <string>

#include "faces/cli/view/test_looks.h"

namespace refrain::cli {
namespace {

ExplainReport two_documents() {
  ExplainReport report;
  report.a.id = "a.txt";
  report.a.text = "one two three four";
  report.a.tokens = 4;
  report.a.windows = 2;
  report.a.fingerprint = 0xF0;
  report.a.shared = {{.begin = 0, .end = 13}};
  report.b = report.a;
  report.b.id = "b.txt";
  report.b.text = "one two three five";
  report.b.fingerprint = 0xF3;
  report.difference = 2;
  report.shared_windows = 1;
  report.similarity = 1.0 / 3;
  report.near = true;
  report.dedup = {.window = 2, .threshold = 0.5, .similarity = 0.5};
  report.dedup.b_for_a = {.removed = true, .lost = 1, .longest_lost = 1, .differs_in = "number", .change = {0.501, 0}};
  report.dedup.a_for_b = {.lost = 9, .longest_lost = 7, .change = {std::nullopt, 7}};
  return report;
}

TEST(Explain, GivesFiguresVerdictAndMarkedTexts) {
  const std::string out = explain_text({.distance = 3, .threshold = 0.5}, two_documents(), kPlain);
  EXPECT_NE(out.find("4 tokens, 2 distinct windows, fingerprint 0x00000000000000f0"), std::string::npos) << out;
  EXPECT_NE(out.find("difference: 2 of 64 bits\n"), std::string::npos) << out;
  EXPECT_NE(out.find("similarity: 0.333 (1 of 3 distinct windows of 3 tokens in both)\n"), std::string::npos) << out;
  EXPECT_NE(out.find("near:       match at --distance 3\n"
                     "  --verify: no match at --distance 10 and --threshold 0.5\n"
                     "dedup:      match at --threshold 0.5: similarity 0.500 with --window 2\n"
                     "  B for A:  removed; loses 1 token, 1 in a row; differs in: number\n"
                     "            kept with --threshold 0.501 or --max-loss 0\n"
                     "  A for B:  kept, because it loses 9 tokens, 7 in a row\n"
                     "            removed with --max-loss 7\n"),
            std::string::npos)
      << out;
  EXPECT_NE(out.find("--- B  b.txt\n[[one two three]] five\n"), std::string::npos) << out;
  ExplainReport apart = two_documents();
  apart.near = false;
  apart.dedup.similarity = 0.4444;
  apart.dedup.change.threshold = 0.444;
  EXPECT_NE(explain_text({.distance = 1}, apart, kPlain).find("no match at --distance 1\n"), std::string::npos);
  EXPECT_NE(explain_text({}, apart, kPlain)
                .find("dedup:      no match at --threshold 0.5: similarity 0.444 with --window 2\n"
                      "            match with --threshold 0.444\n"),
            std::string::npos);
}

TEST(Explain, JudgesNothingThatIsTooShort) {
  ExplainReport report = two_documents();
  report.b.fingerprint.reset();
  report.difference.reset();
  report.b.tokens = 2;
  report.dedup.similarity.reset();
  report.dedup.window = 5;
  const std::string out = explain_text({}, report, kPlain);
  EXPECT_NE(out.find("near:       no match: B has fewer than 3 tokens"), std::string::npos) << out;
  EXPECT_NE(out.find("dedup:      no match: both have fewer than 5 tokens"), std::string::npos) << out;
}

TEST(Explain, TellsTheStoryOfARemovedDocument) {
  StoryReport story;
  story.document = {"b\x1b.txt", false, "near", "a.txt", 0.875, {}, 3};
  story.threshold = 0.8;
  story.cluster_size = 12;
  story.cluster_kept = 1;
  story.members = {{"a.txt", true, "", "", 0, {}, 3}, story.document, {"c.txt", false, "exact", "a.txt", 1, {}, 3}};
  story.texts = two_documents();
  EXPECT_TRUE(story_text(story, kPlain)
                  .starts_with("removed  b\\x1b.txt\n"
                               "why      0.875 similar to a.txt, which is kept\n"
                               "         the texts were compared; 0.8 or more is a match\n"
                               "cluster  3: 12 documents, 1 kept\n"
                               "  kept    a.txt\n"
                               "  removed b\\x1b.txt  (0.875 similar to a.txt)\n"
                               "  removed c.txt  (exact copy of a.txt)\n"
                               "  and 9 more\n"
                               "\n"
                               "similarity: 0.333 "));
  story.texts.reset();
  story.problems = {"in.jsonl: cannot be opened"};
  EXPECT_TRUE(story_text(story, kPlain).ends_with("  and 9 more\ntext not available: in.jsonl: cannot be opened\n"));
}

TEST(Explain, TellsTheStoryOfAKeptDocument) {
  StoryReport story;
  story.document = {"a.txt", true, "", "", 0, {}, std::nullopt};
  EXPECT_EQ(story_text(story, kPlain), "kept     a.txt\nwhy      no other document matches it\n");
  story.document.cluster = 0;
  story.cluster_size = 2;
  story.removed_for_it = 1;
  story.same_id = 2;
  EXPECT_NE(story_text(story, kPlain)
                .find("for it   1 document was removed\nnote     2 other documents have this id; this is the first\n"),
            std::string::npos);
}

TEST(Explain, TellsWhatIsCutOut) {
  StoryReport story;
  story.document = {"a.txt", true, "", "", 0, {{0, 10}, {20, 25}}, std::nullopt};
  EXPECT_TRUE(story_text(story, kPlain).ends_with("cut      15 bytes in 2 ranges that other documents contain too\n"));
  story.document = {"a.txt", false, "substring", "", 0, {{0, 10}}, std::nullopt};
  EXPECT_EQ(story_text(story, kPlain), "removed  a.txt\nwhy      all of its text is in other kept documents\n");
}

}  // namespace
}  // namespace refrain::cli
