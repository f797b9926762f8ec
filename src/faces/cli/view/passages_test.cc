#include "faces/cli/view/passages.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "faces/cli/view/test_looks.h"

namespace refrain::cli {
namespace {

Occurrence place(std::string id, ByteRange bytes, std::string text, double similarity = 1,
                 std::vector<ByteRange> shared = {}) {
  return {.id = std::move(id),
          .bytes = bytes,
          .text = std::move(text),
          .shared = std::move(shared),
          .similarity = similarity,
          .query = {}};
}

std::string shown(const PassageHead& head, const std::vector<Occurrence>& occurrences, const Look& look = kPlain) {
  std::string out;
  const auto sink = text_passages([&](std::string_view piece) { out += piece; }, look);
  sink->begin(head);
  for (const Occurrence& occurrence : occurrences) sink->occurrence(occurrence);
  sink->end();
  return out;
}

PassageHead head_of(std::string text, std::uint64_t length) {
  PassageHead head;
  head.text = std::move(text);
  head.length = length;
  head.similarity = 0.996;
  head.documents = 4;
  return head;
}

TEST(PassageView, ShowsEveryTextOnce) {
  const PassageHead head = head_of("one two six", 3);
  const std::vector<ByteRange> shared = {{.begin = 0, .end = 3}, {.begin = 8, .end = 11}};
  EXPECT_EQ(shown(head, {place("a", {5, 16}, "one two six"), place("b", {0, 11}, "one 222 six", 0.667, shared),
                         place("c", {7, 18}, "one 222 six", 0.667, shared), place("d", {0, 11}, "one two six")}),
            "3 tokens in 4 documents, 99% similar\n"
            "    one two six\n"
            "  a:5-16  (100%)  identical\n"
            "  b:0-11  (67%)\n"
            "    [[one]] 222 [[six]]\n"
            "  c:7-18  (67%)  same as b:0-11\n"
            "  d:0-11  (100%)  identical\n");
}

TEST(PassageView, MarksInBoldOnATerminal) {
  const std::string out = shown(head_of("a b", 2), {place("x", {0, 3}, "a c", 0.5, {{.begin = 0, .end = 1}})}, kColour);
  EXPECT_NE(out.find("    \x1b[1;4ma\x1b[0m c\n"), std::string::npos) << out;
}

TEST(PassageView, SaysWhatOfAQueryItIsAbout) {
  PassageHead head = head_of("a b", 2);
  head.query = "q\n";
  head.bytes = {10, 13};
  head.documents = 1;
  head.unverified = 7000;
  EXPECT_EQ(shown(head, {}),
            "2 tokens of q\\n:10-13 in 1 document, 99% similar; 7,000 more candidates not compared "
            "(--max-occurrences)\n    a b\n");
}

TEST(PassageView, NothingInATextCanHarmATerminal) {
  const std::string out = shown(head_of("a\x1b[2Jb\nc\n\nd", 2), {place("i\x1b", {0, 3}, "\xff", 0)});
  EXPECT_EQ(out.find('\x1b'), std::string::npos);
  EXPECT_NE(out.find("\n    a\\x1b[2Jb\n    c\n\n    d\n  i\\x1b:0-3  (0%)\n    \\xff\n"), std::string::npos) << out;
}

TEST(PassageView, PutsALineBetweenPassages) {
  std::string out;
  const auto sink = text_passages([&](std::string_view piece) { out += piece; }, kPlain);
  for (int i = 0; i < 2; ++i) {
    sink->begin(head_of("a", 1));
    sink->end();
  }
  EXPECT_EQ(out, "1 token in 4 documents, 99% similar\n    a\n\n1 token in 4 documents, 99% similar\n    a\n");
}

}  // namespace
}  // namespace refrain::cli
