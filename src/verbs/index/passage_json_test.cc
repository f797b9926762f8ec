#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "refrain/index.h"
#include "refrain/report_json.h"

namespace refrain::verbs::index {
namespace {

std::string told(const PassageHead& head, const std::vector<Occurrence>& occurrences) {
  std::string out;
  const auto sink = json_passages([&](std::string_view piece) { out += piece; });
  sink->begin(head);
  for (const Occurrence& occurrence : occurrences) sink->occurrence(occurrence);
  sink->end();
  return out;
}

Occurrence place(std::string id, std::string text, ByteRange bytes) {
  return {.id = std::move(id), .bytes = bytes, .text = std::move(text), .shared = {}, .similarity = 1, .query = {}};
}

TEST(PassageJson, IsOneLineAPassage) {
  const PassageHead head{
      .text = "a \"b\"\n", .length = 2, .similarity = 0.75, .documents = 2, .query = {}, .bytes = {}};
  EXPECT_EQ(told(head, {place("x", "a \"b\"\n", {0, 6}), place("y\\",
                                                               "a\xff"
                                                               "b",
                                                               {7, 10})}),
            "{\"passage\":\"a \\\"b\\\"\\n\",\"length\":2,\"similarity\":0.75,\"documents\":2,\"occurrences\":["
            "{\"id\":\"x\",\"begin\":0,\"end\":6,\"text\":\"a \\\"b\\\"\\n\"},"
            "{\"id\":\"y\\\\\",\"begin\":7,\"end\":10,\"text\":\"a\xEF\xBF\xBD"
            "b\"}]}\n");
}

TEST(PassageJson, SaysWhereInTheQueryAndWhatNobodyCompared) {
  const PassageHead head{
      .text = "a", .length = 1, .similarity = 1, .documents = 0, .unverified = 9, .query = "q", .bytes = {3, 4}};
  EXPECT_EQ(told(head, {}),
            "{\"passage\":\"a\",\"length\":1,\"similarity\":1,\"documents\":0,\"query\":\"q\",\"begin\":3,\"end\":4,"
            "\"score\":0,\"unverified\":9,\"occurrences\":[]}\n");
}

TEST(PassageJson, SaysWhatOfTheQueryAnOccurrenceMatches) {
  Occurrence occurrence = place("x", "a b", {0, 3});
  occurrence.query = {5, 8};
  occurrence.similarity = 0.5;
  occurrence.score = 12.25;
  EXPECT_EQ(told({.text = "a", .query = {}, .bytes = {}}, {occurrence}),
            "{\"passage\":\"a\",\"length\":0,\"similarity\":0,\"documents\":0,\"occurrences\":[{\"id\":\"x\",\"begin\":"
            "0,\"end\":3,"
            "\"query_begin\":5,\"query_end\":8,\"similarity\":0.5,\"score\":12.25,\"text\":\"a b\"}]}\n");
}

TEST(PassageJson, BeginsEachPassageAnew) {
  std::string out;
  const auto sink = json_passages([&](std::string_view piece) { out += piece; });
  for (int i = 0; i < 2; ++i) {
    sink->begin({});
    sink->occurrence(place("x", "t", {0, 1}));
    sink->end();
  }
  EXPECT_EQ(out.substr(0, out.size() / 2), out.substr(out.size() / 2));
}

TEST(BlotJson, ShowsAllDigitsOfABlot) {
  EXPECT_EQ(to_json(BlotRow{.blot = 0xAB, .digits = 5, .ids = {"x", "y"}}),
            "{\"blot\":\"000ab\",\"count\":2,\"documents\":[\"x\",\"y\"]}\n");
  EXPECT_EQ(to_json(BlotText{.blot = 1, .digits = 2, .id = "x", .bytes = {3, 5}, .text = "ab"}),
            "{\"blot\":\"01\",\"id\":\"x\",\"begin\":3,\"end\":5,\"text\":\"ab\"}\n");
  EXPECT_EQ(cursor_json("a\"b"), "{\"cursor\":\"a\\\"b\"}\n");
}

}  // namespace
}  // namespace refrain::verbs::index
