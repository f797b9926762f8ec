#include "faces/cli/view/terminal.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/view/test_looks.h"

namespace refrain::cli {
namespace {

TEST(Printable, SpellsOutWhatCouldHarmATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\x07\x7f", true), "a\\x1b[31mb\\x07\\x7f");
  EXPECT_EQ(printable("a\n\tb\r\n", true), "a\n\tb\\r\n");
  EXPECT_EQ(printable("a\n\tb", false), "a\\n\\tb");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m",
                      true),
            "\\u009b31m");
  EXPECT_EQ(printable("\xE2\x80\xAE", true), "\\u202e");
  EXPECT_EQ(printable("é\xff\xC3", true), "é\\xff\\xc3");
  EXPECT_EQ(printable(std::string_view("\0", 1), true), "\\x00");
}

TEST(Elided, KeepsShortStretchesWhole) {
  const std::string text(kLongStretch, 'x');
  EXPECT_EQ(elided(text, kPlain), text);
}

TEST(Elided, ShowsTheEndsOfLongOnes) {
  const std::string text = std::string(160, 'a') + std::string(1234, 'b') + std::string(160, 'c');
  EXPECT_EQ(elided(text, kPlain), std::string(160, 'a') + "[... 1,234 bytes ...]" + std::string(160, 'c'));
  EXPECT_EQ(elided(text, kColour), std::string(160, 'a') + "[… 1,234 bytes …]" + std::string(160, 'c'));
}

TEST(Elided, CutsNoCharacterInTwo) {
  for (std::size_t shift = 0; shift < 4; ++shift) {
    std::string text(shift, 'a');
    for (int i = 0; i < 300; ++i) text += "語";
    EXPECT_EQ(elided(text, kPlain).find("\\x"), std::string::npos) << shift;
  }
  // A long run of continuation bytes must not move the cut far away.
  EXPECT_NE(elided(std::string(1000, '\x80'), kPlain).find("[... 680 bytes ...]"), std::string::npos);
}

TEST(Marked, SetsSharedTextApart) {
  const std::vector<ByteRange> shared = {{.begin = 0, .end = 3}, {.begin = 8, .end = 11}};
  EXPECT_EQ(marked("one two six", shared, kPlain), "[[one]] two [[six]]\n");
  EXPECT_EQ(marked("one two six", shared, kColour), "\x1b[1;4mone\x1b[0m two \x1b[1;4msix\x1b[0m\n");
  EXPECT_EQ(marked("one\n", {}, kPlain), "one\n");
  EXPECT_EQ(marked("", {}, kPlain), "\n");
}

TEST(Marked, SetsWhatWasMovedApart) {
  const std::vector<ByteRange> shared = {{.begin = 0, .end = 11}, {.begin = 16, .end = 22}};
  const std::vector<ByteRange> moved = {{.begin = 4, .end = 7}, {.begin = 16, .end = 22}};
  EXPECT_EQ(marked("one two six xx, eleven", shared, kPlain, moved), "[[one]] {{two}} [[six]] xx, {{eleven}}\n");
  EXPECT_EQ(marked("one two six", std::span(shared).first(1), kColour, std::span(moved).first(1)),
            "\x1b[1;4mone\x1b[0m \x1b[1;33mtwo\x1b[0m \x1b[1;4msix\x1b[0m\n");
}

TEST(Marked, ElidesEachStretchOnItsOwn) {
  const std::vector<ByteRange> shared = {{.begin = 500, .end = 1000}};
  const std::string out = marked(std::string(1000, 'x'), shared, kPlain);
  EXPECT_NE(out.find("[... 180 bytes ...]" + std::string(160, 'x') + "[[" + std::string(160, 'x') + "["),
            std::string::npos);
}

TEST(Marked, KeepsInsideTheTextWhateverTheRanges) {
  const std::vector<ByteRange> shared = {{.begin = 2, .end = 100}, {.begin = 1, .end = 2}};
  EXPECT_EQ(marked("abcd", shared, kPlain), "ab[[cd]]\n");
}

TEST(MarkedEnds, LeavesOutTheMiddleHoweverItIsMarked) {
  std::vector<ByteRange> shared;
  for (std::uint64_t at = 0; at < 9000; at += 10) shared.push_back({.begin = at, .end = at + 9});
  const std::string text(9000, 'x');
  const std::string out = marked_ends(text, shared, kPlain);
  EXPECT_NE(out.find("[[xxxxxxxxx]]x[... 7,400 bytes ...][[xxxxxxxxx]]x"), std::string::npos) << out;
  EXPECT_EQ(marked_ends(text.substr(0, 2000), shared, kPlain), marked(text.substr(0, 2000), shared, kPlain));
}

TEST(MarkedEnds, MarksWhatReachesOutOfTheMiddle) {
  const std::string out =
      marked_ends(std::string(3000, 'x'), std::vector<ByteRange>{{.begin = 700, .end = 2300}}, kPlain);
  EXPECT_NE(out.find("[[" + std::string(100, 'x') + "]][... 1,400 bytes ...][[" + std::string(100, 'x') + "]]"),
            std::string::npos)
      << out;
}

}  // namespace
}  // namespace refrain::cli
