#include "cli/summary.h"

#include <gtest/gtest.h>

#include <string>

namespace refrain::cli {
namespace {

constexpr Look kPlain{};

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
  EXPECT_NE(plain.find("first is a\\tb\n"), std::string::npos) << plain;
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

}  // namespace
}  // namespace refrain::cli
