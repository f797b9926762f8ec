#include "faces/cli/view/summary.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "faces/cli/view/test_looks.h"

namespace refrain::cli {
namespace {

TEST(NearSummary, OmitsOdditiesThatAreZero) {
  NearReport report;
  report.read.documents = 2;
  report.matches = 1;
  report.clusters = 1;
  report.clustered = 2;
  report.largest_cluster = 2;
  report.largest_representative = "a\tb";
  NearOptions options;
  options.output = "out";
  const std::string plain = near_summary(report, options, 1, kPlain);
  EXPECT_NE(plain.find("first: a\\tb\n"), std::string::npos) << plain;
  EXPECT_NE(plain.find("out/clusters.tsv\n"), std::string::npos) << plain;
  for (const char* const oddity : {"too short", "skipped", "bad records", "\x1b"}) {
    EXPECT_EQ(plain.find(oddity), std::string::npos) << oddity;
  }
  report.too_short = 1;
  report.read.bad_records = 1000;
  report.read.examples.assign(5, {.path = "x.jsonl", .line = 7, .reason = "not JSON"});
  const std::string odd = near_summary(report, options, 1, kPlain);
  EXPECT_NE(odd.find("fewer than 3 tokens"), std::string::npos) << odd;
  EXPECT_NE(odd.find("1,000  x.jsonl:7: not JSON\n"), std::string::npos) << odd;
  EXPECT_NE(odd.find("and 997 more\n"), std::string::npos) << odd;
}

TEST(IndexSummary, OmitsOdditiesThatAreZero) {
  IndexWriteReport report;
  report.read.documents = report.added = 2;
  report.segments = 1;
  const std::string plain = index_add_summary("an\tindex", report, 1, kPlain);
  EXPECT_NE(plain.find("Written: an\\tindex\n"), std::string::npos) << plain;
  for (const char* const oddity : {"took the place", "texts stored", "bad records", "temporary"}) {
    EXPECT_EQ(plain.find(oddity), std::string::npos) << oddity;
  }
  report.replaced = 1;
  report.stored_texts = 2;
  const std::string odd = index_add_summary("i", report, 1, kPlain);
  EXPECT_NE(odd.find("2  1 replaced older ones\n"), std::string::npos) << odd;
  EXPECT_NE(odd.find("texts stored"), std::string::npos) << odd;
}

TEST(IndexSummary, TellsAWholeIndexFromADamagedAndARepairedOne) {
  IndexCheckReport report;
  report.documents = 5;
  EXPECT_TRUE(index_check_text("i", report).starts_with("i: OK: 5 documents with 0 posts in 0 segments;"));
  report.damages = {"a: b", "c: d"};
  EXPECT_TRUE(index_check_text("i", report).starts_with("i: damaged in 2 places: 5 documents"));
  report.repaired = true;
  report.rebuilt_documents = 4;
  report.lost_documents = 1;
  EXPECT_EQ(index_check_text("i", report), "i: repaired: 4 documents rebuilt, 1 lost\n");
}

TEST(ChangedRemark, NamesTheFirstFew) {
  EXPECT_EQ(changed_remark(0, {}), "");
  const std::vector<ChangedDocument> changed = {{.id = "a", .reason = "a: it has changed"},
                                                {.id = "7", .reason = "b\x1b.jsonl: it has changed"},
                                                {.id = "c", .reason = "c: it has gone"},
                                                {.id = "d", .reason = "d: it has gone"}};
  EXPECT_EQ(changed_remark(1000, changed),
            "1,000 changed documents skipped:\n  a: it has changed\n  7: b\\x1b.jsonl: it has changed\n"
            "  c: it has gone\n  and 997 more\n");
  EXPECT_EQ(changed_remark(1, {changed[0]}), "1 changed document skipped:\n  a: it has changed\n");
}

}  // namespace
}  // namespace refrain::cli
