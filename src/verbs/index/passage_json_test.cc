#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "refrain/index.h"
#include "refrain/report_json.h"

namespace refrain::verbs::index {
namespace {

void tell(PassageSink& sink, const PassageHead& head, const std::vector<Occurrence>& occurrences) {
  sink.begin(head);
  for (const Occurrence& occurrence : occurrences) sink.occurrence(occurrence);
  sink.end();
}

std::string reported(const PassageHead& head, const std::vector<Occurrence>& occurrences, bool texts = true) {
  std::string out;
  tell(*json_passages([&](std::string_view piece) { out += piece; }, texts), head, occurrences);
  return out;
}

std::string rows(PassagesOf of, bool texts, const PassageHead& head, const std::vector<Occurrence>& occurrences) {
  std::string out;
  tell(*tsv_passages([&](std::string_view piece) { out += piece; }, of, texts), head, occurrences);
  return out;
}

Occurrence place(std::string id, std::string text, ByteRange bytes) {
  return {.id = std::move(id), .bytes = bytes, .text = std::move(text), .shared = {}, .similarity = 1, .query = {}};
}

// The passage "a b c" of a query, which begins at byte 10 of the query.
PassageHead asked() {
  return {.text = "a b\tc", .length = 3, .similarity = 1, .documents = 1, .query = "q\\", .bytes = {10, 15}};
}
Occurrence answered() {
  Occurrence occurrence = place("x", "b\nc", {5, 8});
  occurrence.query = {12, 15};
  occurrence.similarity = 0.5;
  occurrence.score = 12.25;
  occurrence.query_share = 1.0 / 3;
  occurrence.document_share = 0.25;
  return occurrence;
}

TEST(PassageJson, IsOneLineAPassage) {
  const PassageHead head{
      .text = "a \"b\"\n", .length = 2, .similarity = 0.75, .documents = 2, .query = {}, .bytes = {}};
  EXPECT_EQ(reported(head, {place("x", "a \"b\"\n", {0, 6}), place("y\\",
                                                                   "a\xff"
                                                                   "b",
                                                                   {7, 10})}),
            "{\"passage\":\"a \\\"b\\\"\\n\",\"length\":2,\"similarity\":0.75,\"documents\":2,\"occurrences\":["
            "{\"id\":\"x\",\"begin\":0,\"end\":6,\"similarity\":1,\"document_share\":0,\"text\":\"a \\\"b\\\"\\n\"},"
            "{\"id\":\"y\\\\\",\"begin\":7,\"end\":10,\"similarity\":1,\"document_share\":0,\"text\":\"a\xEF\xBF\xBD"
            "b\"}]}\n");
}

TEST(PassageJson, SaysWhereInTheQueryAndWhatNobodyCompared) {
  const PassageHead head{
      .text = "a", .length = 1, .similarity = 1, .documents = 0, .unverified = 9, .query = "q", .bytes = {3, 4}};
  EXPECT_EQ(reported(head, {}),
            "{\"passage\":\"a\",\"length\":1,\"similarity\":1,\"documents\":0,\"query\":\"q\",\"begin\":3,\"end\":4,"
            "\"score\":0,\"unverified\":9,\"occurrences\":[]}\n");
}

TEST(PassageJson, SaysWhatOfTheQueryAnOccurrenceMatches) {
  EXPECT_EQ(reported({.text = "a", .query = {}, .bytes = {}}, {answered()}),
            "{\"passage\":\"a\",\"length\":0,\"similarity\":0,\"documents\":0,\"occurrences\":[{\"id\":\"x\",\"begin\":"
            "5,\"end\":8,\"query_begin\":12,\"query_end\":15,\"similarity\":0.5,\"score\":12.25,"
            "\"query_share\":0.333333,\"document_share\":0.25,\"text\":\"b\\nc\"}]}\n");
}

TEST(PassageJson, LeavesTheTextsOut) {
  EXPECT_EQ(reported({.text = "a", .query = {}, .bytes = {}}, {place("x", "a", {0, 1})}, false),
            "{\"length\":0,\"similarity\":0,\"documents\":0,\"occurrences\":[{\"id\":\"x\",\"begin\":0,\"end\":1,"
            "\"similarity\":1,\"document_share\":0}]}\n");
}

TEST(PassageTsv, IsARowAPlaceOfAQuery) {
  const std::string header =
      "query\tquery_begin\tquery_end\tid\tbegin\tend\tsimilarity\tscore\tquery_share\tdocument_share";
  const std::string row = "q\\\\\t12\t15\tx\t5\t8\t0.5\t12.25\t0.333333\t0.25";
  EXPECT_EQ(rows(PassagesOf::query, true, asked(), {answered()}),
            header + "\tquery_text\ttext\n" + row + "\tb\\tc\tb\\nc\n");
  EXPECT_EQ(rows(PassagesOf::query, false, asked(), {answered(), answered()}), header + "\n" + row + "\n" + row + "\n");
}

TEST(PassageTsv, NumbersThePassagesOfAnIndex) {
  EXPECT_EQ(rows(PassagesOf::index, true, {}, {place("x", "a", {0, 1}), place("y", "\xff", {3, 4})}),
            "passage\tid\tbegin\tend\tsimilarity\tdocument_share\ttext\n"
            "1\tx\t0\t1\t1\t0\ta\n1\ty\t3\t4\t1\t0\t\xEF\xBF\xBD\n");
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
