#include "faces/server/wire/request.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <functional>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "faces/server/wire/failure.h"
#include "refrain/error.h"

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
      parse_query(R"({"text": "a \"b\" \u00e4", "limit": 5, "max_occurrences": 7, "min_tokens": 3, "max_gap": 0, )"
                  R"("cursor": "c"})")
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
  const QueryRequest more =
      parse_query(R"({"id": "x", "with": ["a", "b"], "edits": "heavy", "noise": 0.5, "max_documents": 9, )"
                  R"("exclude": ["c d", "e"], "texts": false})");
  EXPECT_EQ(more.options.with, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(more.options.limits.edits, Edits::heavy);
  EXPECT_EQ(more.options.limits.noise, 0.5);
  EXPECT_EQ(more.options.limits.max_documents, 9U);
  EXPECT_EQ(more.options.limits.exclude, (std::vector<std::string>{"c d", "e"}));
  EXPECT_FALSE(more.texts);
  EXPECT_TRUE(parse_query(R"({"id": "x"})").texts);
  EXPECT_EQ(parse_query(R"({"id": "x", "limit": 2.0})").options.limit, 2U);
  EXPECT_EQ(parse_query(R"({"id": "x", "limit": 1e2})").options.limit, 100U);
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

TEST(DocumentsBody, MayHaveOtherFieldsOnTheWayToALibrary) {
  const std::string many =
      R"({"id": "a", "meta": {"at": [1, -2.5e3, {}, [], "}"], "id": "b"}, "x": null, "x": true, "text": "t"})";
  EXPECT_EQ(failure_of([&] { parse_documents(many); }), "invalid_argument");
  for (const char* between : {"", "\n", "\n{\"text\": \"u\", \"id\": \"c\", \"n\": {}}\n"}) {
    const auto documents = parse_documents(many + between, To::library);
    ASSERT_EQ(documents.size(), std::strlen(between) > 1 ? 2U : 1U);
    EXPECT_EQ(documents[0].id, "a");
    EXPECT_EQ(documents[0].text, "t");
  }
  // A line that ends with a brace, within an object.
  EXPECT_EQ(parse_documents("{\"meta\": {\"a\": \"{\"}\n, \"id\": \"a\",\n\"text\": \"b\"}", To::library).size(), 1U);
  const auto nested = [](std::size_t depth) {
    return R"({"id": "a", "text": "b", "x": )" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(parse_documents(nested(1000), To::library).size(), 1U);
  EXPECT_EQ(failure_of([&] { parse_documents(nested(1'000'000), To::library); }), "bad_json");
}

// The oracle for parse_documents() with one object: reads it from simdjson's tree.
std::optional<QueryDocument> document_by_tree(const std::string& body, To to) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(body).get(object) != simdjson::SUCCESS) return std::nullopt;
  std::size_t known = 0;
  for (const auto field : object) known += field.key == "id" || field.key == "text" ? 1 : 0;
  if (known != 2 || (to == To::index && object.size() != 2)) return std::nullopt;
  std::string_view id;
  std::string_view text;
  if (object["id"].get(id) != simdjson::SUCCESS || object["text"].get(text) != simdjson::SUCCESS) return std::nullopt;
  return QueryDocument{std::string(id), std::string(text)};
}

TEST(DocumentsBody, IsReadAsATreeOfItWouldBe) {
  const std::vector<std::string> pieces = {"{",
                                           "}",
                                           "\"",
                                           "\\",
                                           ":",
                                           ",",
                                           " ",
                                           "\t",
                                           "\"id\"",
                                           "\"text\"",
                                           "\"a\"",
                                           "\\n",
                                           "\\u00e4",
                                           "\\u0041",
                                           "\\ud83d\\ude00",
                                           "\\ud83d",
                                           "\\u12",
                                           "\\x",
                                           "\xC3\xA4",
                                           "\xE6\x97\xA5",
                                           "\xFF",
                                           "\x01",
                                           "1",
                                           "null",
                                           "[",
                                           "]",
                                           "true",
                                           "long enough to be read by eights"};
  std::mt19937 random(7);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  std::size_t good = 0;
  for (int round = 0; round < 40'000; ++round) {
    const To to = round % 2 == 0 ? To::index : To::library;
    std::string text;
    for (std::size_t i = below(6); i > 0; --i) text += pieces[below(pieces.size())];
    std::string body =
        below(2) == 0 ? R"({"id": "a b", "text": ")" + text + "\"}" : R"({ "text":")" + text + R"(" ,"id":"x" } )";
    if (to == To::library) body.insert(1, R"("a": [{"b": {}, "c": [1, {"d": "}"}]}, []], "e": 2, )");
    if (below(2) == 0) body.insert(below(body.size()), pieces[below(pieces.size())]);
    if (below(4) == 0) body.erase(below(body.size()), 1);
    std::optional<QueryDocument> got;
    try {
      got = parse_documents(body, to).at(0);
    } catch (const Failure& failure) {
      if (failure.code() == "bad_id") continue;
    }
    const std::optional<QueryDocument> expected = document_by_tree(body, to);
    ASSERT_EQ(got.has_value(), expected.has_value()) << body;
    if (!got) continue;
    ++good;
    ASSERT_EQ(got->id, expected->id) << body;
    ASSERT_EQ(got->text, expected->text) << body;
  }
  EXPECT_GT(good, 4000U);
}

// Ids of 16 characters for which std::hash of libstdc++ returns the same number.
std::vector<std::string> ids_of_one_hash(std::size_t count) {
  constexpr std::uint64_t kFactor = 0xC6A4A7935BD1E995U;
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kFactor * inverse;
  const auto scatter = [](std::uint64_t x) { return x ^ x >> 47U; };  // its own inverse
  std::vector<std::string> ids;
  for (std::uint64_t number = 0; ids.size() < count; ++number) {
    std::uint64_t first = 0x6161616161616161U;  // eight letters 'a'; the digits of `number` are added to them
    for (unsigned i = 0; i < 8; ++i) first += (number >> 4 * i & 15U) << 8 * i;
    const std::uint64_t state = ((0xC70F6907U ^ (16 * kFactor)) ^ scatter(first * kFactor) * kFactor) * kFactor;
    const std::uint64_t second = scatter((state ^ 0x0123456789ABCDEFU) * inverse) * inverse;
    if ((second & 0x8080808080808080U) != 0) continue;
    std::string id(16, ' ');
    std::memcpy(id.data(), &first, 8);
    std::memcpy(id.data() + 8, &second, 8);
    if (std::ranges::all_of(id, [](char c) { return c > ' ' && c < 0x7F && c != '"' && c != '\\'; })) ids.push_back(id);
  }
  return ids;
}

TEST(DocumentsBody, IdsThatShareAHashTakeNoLonger) {
  constexpr std::size_t kIds = 4000;
  std::vector<std::string> plain;
  for (std::size_t i = 0; i < kIds; ++i) plain.push_back("id" + std::to_string(100'000'000'000'000 + i));
  const auto seconds = [](const std::vector<std::string>& ids) {
    std::string body;
    for (const std::string& id : ids) body += R"({"id": ")" + id + R"(", "text": "t"})" + "\n";
    const std::clock_t begun = std::clock();  // CPU time: other processes do not count
    EXPECT_EQ(parse_documents(body).size(), ids.size());
    return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
  };
  const double usual = seconds(plain);
  EXPECT_LT(seconds(ids_of_one_hash(kIds)), 5 * usual + 0.01);
}

TEST(DocumentsBody, AClientThatLeftIsNotReadToTheEnd) {
  std::stop_source stop;
  const std::string body = "{\"id\": \"a\", \"text\": \"b\"}\n{\"id\": \"c\", \"text\": \"d\"}\n";
  EXPECT_EQ(parse_documents(body, To::library, stop.get_token()).size(), 2U);
  stop.request_stop();
  EXPECT_THROW(parse_documents(body, To::library, stop.get_token()), Error);
}

TEST(Failure, SpellsFlagsOfTheServerAndFieldsOfBodies) {
  EXPECT_EQ(spelled("give `memory`, or less `max_gap`; `temp_dir` is full", spelling),
            "give --memory, or less 'max_gap'; --temp-dir is full");
}

}  // namespace
}  // namespace refrain::server
