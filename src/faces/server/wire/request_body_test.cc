#include "faces/server/wire/request_body.h"

#include <gtest/gtest.h>

#include <string>

#include "faces/server/wire/failure.h"

namespace refrain::server {
namespace {

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), 400U);
    return failure.code();
  }
}

TEST(QueryBody, BecomesOptions) {
  const QueryOptions options =
      parse_query(
          R"({"text": "a \"b\" \u00e4", "limit": 5, "max_occurrences": 7, "min_tokens": 3, "max_gap": 0, "cursor": "c"})")
          .options;
  ASSERT_EQ(options.documents.size(), 1U);
  EXPECT_EQ(options.documents[0].text, "a \"b\" \xC3\xA4");
  EXPECT_EQ(options.limit, 5U);
  EXPECT_EQ(options.max_occurrences, 7U);
  EXPECT_EQ(options.limits.min_tokens, 3U);
  EXPECT_EQ(options.limits.max_gap, 0U);
  EXPECT_EQ(options.cursor, "c");
  EXPECT_EQ(parse_query(R"({"id": "x"})").options.id, "x");
  EXPECT_EQ(parse_query(R"({"text": ""})").options.documents.size(), 1U);
  const QueryRequest more = parse_query(
      R"({"id": "x", "with": ["a", "b"], "edits": "heavy", "noise": 0.5, "max_documents": 9, "exclude": ["c d", "e"], "texts": false})");
  EXPECT_EQ(more.options.with, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(more.options.limits.edits, Edits::heavy);
  EXPECT_EQ(more.options.limits.noise, 0.5);
  EXPECT_EQ(more.options.limits.max_documents, 9U);
  EXPECT_EQ(more.options.limits.exclude, (std::vector<std::string>{"c d", "e"}));
  EXPECT_FALSE(more.texts);
  EXPECT_TRUE(parse_query(R"({"id": "x"})").texts);
}

TEST(QueryBody, RefusesWhatItDoesNotKnow) {
  for (const char* body : {"", "{", "[]", "1", "null", "{\"text\": \"a\"} x", "{\"text\": \"\xFF\"}", "{'text': 1}",
                           "{\"text\": \"\\ud800\"}", "{\"text\": \"a\",}", "{\"text\": \"a\nb\"}"})
    EXPECT_EQ(failure_of([&] { parse_query(body); }), "bad_json") << body;
  for (const char* body : {"{}",
                           R"({"text": "a", "id": "b"})",
                           R"({"id": ""})",
                           R"({"text": 1})",
                           R"({"text": "a", "x": 1})",
                           R"({"text": "a", "limit": 0})",
                           R"({"text": "a", "limit": 1001})",
                           R"({"text": "a", "limit": -1})",
                           R"({"text": "a", "limit": 1.5})",
                           R"({"text": "a", "limit": "5"})",
                           R"({"text": "a", "max_gap": 1025})",
                           R"({"text": "a", "with": []})",
                           R"({"text": "a", "with": "b"})",
                           R"({"text": "a", "with": ["b", 1]})",
                           R"({"text": "a", "exclude": "b"})",
                           R"({"text": "a", "exclude": []})",
                           R"({"text": "a", "texts": 1})",
                           R"({"text": "a", "noise": 1})",
                           R"({"text": "a", "edits": "some"})",
                           R"({"text": "a", "cursor": null})",
                           R"({"text": "a", "text": "b"})",
                           R"({"text": "a", "max_occurrences": 0})"})
    EXPECT_EQ(failure_of([&] { parse_query(body); }), "invalid_argument") << body;
  EXPECT_EQ(failure_of([&] { parse_query(std::string(100'000, '[')); }), "bad_json");
}

TEST(DocumentsBody, IsOneObjectOrALineEach) {
  EXPECT_EQ(parse_documents(R"({"id": "a", "text": "b"})").size(), 1U);
  EXPECT_EQ(parse_documents("{\n \"id\": \"a\",\n \"text\": \"b\"\n}\n").size(), 1U);
  const auto many = parse_documents("\n{\"id\": \"a\", \"text\": \"b\"}\r\n\n{\"text\": \"d\", \"id\": \"c/d\"}");
  ASSERT_EQ(many.size(), 2U);
  EXPECT_EQ(many[0].text, "b");
  EXPECT_EQ(many[1].id, "c/d");
}

TEST(DocumentsBody, NamesTheLineThatIsBroken) {
  try {
    parse_documents("{\"id\": \"a\", \"text\": \"b\"}\n{\"id\": \"c\", \"text\": \n");
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), "bad_json");
    EXPECT_TRUE(std::string(failure.what()).starts_with("line 2: ")) << failure.what();
  }
}

TEST(DocumentsBody, IdsDoNotGoUpAFolder) {
  const auto with = [](const std::string& id) { return "{\"id\": \"" + id + "\", \"text\": \"t\"}"; };
  for (const char* id : {"..", "../a", "a/../b", "a/..", "..\\\\a", "", "a\\u0000", "a\\n"})
    EXPECT_EQ(failure_of([&] { parse_documents(with(id)); }), "bad_id") << id;
  for (const char* id : {"...", "a..b", "..a/b", "/a", "a//b", "\xE6\x97\xA5"})
    EXPECT_EQ(parse_documents(with(id)).size(), 1U) << id;
  EXPECT_EQ(failure_of([&] { parse_documents(with(std::string(4097, 'a'))); }), "bad_id");
  EXPECT_EQ(failure_of([&] { parse_documents(with("a") + "\n" + with("a")); }), "bad_id");
  EXPECT_EQ(failure_of([&] { parse_documents(R"({"id": "a"})"); }), "invalid_argument");
  EXPECT_EQ(failure_of([&] { parse_documents(R"([{"id": "a", "text": "b"}])"); }), "bad_json");
}

}  // namespace
}  // namespace refrain::server
