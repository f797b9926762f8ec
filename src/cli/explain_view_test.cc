#include "cli/explain_view.h"

#include <gtest/gtest.h>

#include <string>

namespace refrain::cli {
namespace {

constexpr Look kPlain{};

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
  return report;
}

TEST(Explain, GivesFiguresVerdictAndMarkedTexts) {
  const std::string out = explain_text(two_documents(), 3, 3, kPlain);
  EXPECT_NE(out.find("4 tokens, 2 distinct windows, fingerprint 0x00000000000000f0"), std::string::npos) << out;
  EXPECT_NE(out.find("difference: 2 of 64 bits\n"), std::string::npos) << out;
  EXPECT_NE(out.find("similarity: 0.333 (1 of 3 distinct windows in both)\n"), std::string::npos) << out;
  EXPECT_NE(out.find("verdict:    match at --distance 3\n"), std::string::npos) << out;
  EXPECT_NE(out.find("--- B  b.txt\n[[one two three]] five\n"), std::string::npos) << out;
  EXPECT_NE(explain_text(two_documents(), 1, 3, kPlain).find("no match at --distance 1\n"), std::string::npos);
}

TEST(Explain, JudgesNothingThatIsTooShort) {
  ExplainReport report = two_documents();
  report.b.fingerprint.reset();
  report.difference.reset();
  EXPECT_NE(explain_text(report, 3, 3, kPlain).find("no match: B has fewer than 3 tokens"), std::string::npos);
}

}  // namespace
}  // namespace refrain::cli
