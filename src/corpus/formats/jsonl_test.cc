#include "corpus/formats/jsonl.h"

#include <fmt/format.h>

#include <random>

#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

TEST_F(Corpus, JsonlTakesTextAndIdInAnyOrder) {
  const std::string path = write("a.jsonl",
                                 "{\"text\": \"one\", \"id\": \"a\"}\n"
                                 "{\"id\":-12 ,\"other\":{\"text\":[1,{\"text\":2}]},\"text\":\"two\"}\r\n"
                                 "  \t\r\n\n"
                                 "{\"text\":\"\",\"id\":\"\",\"text\":7}");
  const Collected found = collect({.paths = {path}, .id_field = "id"});
  EXPECT_EQ(found.texts(), (Texts{"one", "two", ""}));
  EXPECT_EQ(found.ids(), (Texts{"a", "-12", ""}));
  EXPECT_EQ(found.report.bad_records, 0U);
  EXPECT_EQ(collect({.paths = {path}}).ids(), (Texts{"<ordinal>", "<ordinal>", "<ordinal>"}));
  EXPECT_EQ(collect({.paths = {path}, .id_field = "text"}).ids(), (Texts{"one", "two", ""}));
}

TEST_F(Corpus, JsonlResolvesEscapesInTextIdAndKeys) {
  const std::string path = write("a.jsonl",
                                 "{\"te\\u0078t\":\"a\\n\\\"b\\\\ \\u00e9 \\ud83d\\ude00\",\"id\":\"\\u0041\\/\"}\n"
                                 "{\"a\\\"text\":1,\"text\":\"ok\",\"id\":\"x\"}\n");
  const Collected found = collect({.paths = {path}, .id_field = "id"});
  EXPECT_EQ(found.texts(), (Texts{"a\n\"b\\ \xc3\xa9 \xf0\x9f\x98\x80", "ok"}));
  EXPECT_EQ(found.ids(), (Texts{"A/", "x"}));
}

// The parser has room for the escaped strings of a line only once, and a line that fills the capacity leaves none over.
TEST_F(Corpus, JsonlNamesTheFieldsOfALineThatIsAllEscapedKeys) {
  for (const std::size_t bytes : {std::size_t{1} << 14, std::size_t{1} << 16, std::size_t{3} << 20}) {
    std::string line = R"({"\n)";
    line.append(bytes - line.size() - 4, 'a');
    line += "\":1}";
    ASSERT_EQ(line.size(), bytes);
    const std::string path = write("a.jsonl", line + "\n{\"text\":\"fine\"}\n");
    const Collected found = bytes > 1 << 16 ? collect({.paths = {path}}, 2, {}) : collect({.paths = {path}});
    EXPECT_EQ(found.texts(), (Texts{"<bad>", "fine"}));
    EXPECT_TRUE(found.complaints()[0].starts_with(path + ":1: no field 'text'; the record has '\\x0aaaa")) << bytes;
    EXPECT_LT(found.complaints()[0].size(), path.size() + 250);
  }
}

TEST_F(Corpus, JsonlNamesSomeFieldsOfARecordWithVeryMany) {
  std::string line = "{\"\\u0000\":0";
  for (int i = 0; i < 100'000; ++i) line += ",\"k" + std::to_string(i) + "\":0";
  const std::string path = write("a.jsonl", line + "}\n{}\n{\"text\":\"fine\"}\n");
  const std::vector<std::string> complaints = collect({.paths = {path}}).complaints();
  EXPECT_TRUE(complaints[0].starts_with(path + ":1: no field 'text'; the record has '\\x00', 'k0', 'k1', "))
      << complaints[0];
  EXPECT_LT(complaints[0].size(), path.size() + 250);
  EXPECT_EQ(complaints[1], path + ":2: no field 'text'; the record is empty");
}

TEST_F(Corpus, JsonlSaysWhatIsWrongWithALine) {
  const std::string path = write("a.jsonl",
                                 "{\"text\":1,\"id\":1}\n"
                                 "{\"body\":\"x\",\"id\":1}\n"
                                 "\n"
                                 "[1]\n"
                                 "{\"text\":\"x\",\"id\":1.5}\n"
                                 "{\"text\":\"x\",\"id\":null}\n"
                                 "{\"text\":\"x\"}\n"
                                 "{\"text\":\"x\",\"id\":1} {}\n"
                                 "{\"text\":\"fine\",\"id\":9}\n"
                                 "{\"text\":\"x\n"
                                 "nonsense\n");
  const Collected found = collect({.paths = {path}, .id_field = "id"});
  EXPECT_EQ(found.report.bad_records, 9U);
  EXPECT_EQ(found.report.documents, 1U);
  EXPECT_EQ(found.documents[7], (Document{7, "9", "fine", false, path, {}}));
  EXPECT_EQ(found.documents[6], (Document{6, "", "", true, path, {}}));
  const std::vector<std::string> complaints = found.complaints();
  EXPECT_EQ(complaints[0], path + ":1: field 'text' is not a string");
  EXPECT_EQ(complaints[1], path + ":2: no field 'text'; the record has 'body', 'id'");
  EXPECT_EQ(complaints[2], path + ":4: not a JSON object");
  EXPECT_EQ(complaints[3], path + ":5: field 'id' is a number that is not an integer");
  EXPECT_EQ(complaints[4], path + ":6: field 'id' is neither a string nor a number");
  EXPECT_EQ(complaints[5], path + ":7: no field 'id'; the record has 'text'");
  EXPECT_EQ(complaints[6], path + ":8: not JSON: text after the object");
  EXPECT_TRUE(complaints[7].starts_with(path + ":10: not JSON: ")) << complaints[7];
  EXPECT_EQ(complaints[8], path + ":11: not a JSON object");
}

TEST_F(Corpus, JsonlRefusesWhatOnlyLooksLikeJson) {
  for (const std::string line :
       {"{", "}", "{}x", "{\"text\"}", "{\"text\":}", "{\"text\":\"a\",}", "{\"text\":\"a\" \"b\":1}", "{,}",
        "{\"text\":\"a\"}}", "{\"text\":\"\\x\"}", "{\"text\":\"\\ud800\"}", "{\"text\":\"\xff\"}",
        "{\"text\":\"a\tb\"}", "{\"text\":\"a\"]", "{\"text\":\"a\",\"id\":01}", "{\"text\":\"a\",\"id\":1x}",
        "\"text\"", "1", "null"}) {
    const Collected found = collect({.paths = {write("a.jsonl", line)}, .id_field = "id"}, 1, {});
    ASSERT_EQ(found.documents.size(), 1U) << line;
    EXPECT_TRUE(found.documents[0].bad) << line;
  }
}

TEST_F(Corpus, JsonlSurvivesRandomBytes) {
  std::mt19937 random(3);
  const std::string_view alphabet = "{}[]\",:\\ntextid 01e-.\xc3\xa9\n";
  for (int round = 0; round < 300; ++round) {
    std::string lines;
    const std::size_t size = random() % 300;
    while (lines.size() < size) {
      if (random() % 8 == 0) lines += "{\"text\":\"";
      if (random() % 8 == 0) lines += "\"}\n";
      lines += alphabet[random() % alphabet.size()];
    }
    const std::string path = write("a.jsonl", lines);
    expect_same(collect({.paths = {path}, .id_field = "id"}, 1, {}),
                collect({.paths = {path}, .id_field = "id"}, 2, {.piece_bytes = 32}));
  }
}

TEST_F(Corpus, JsonlLinesLongerThanAPieceAreReadWhole) {
  std::string lines;
  Texts texts;
  for (const std::size_t size : {10, 3000, 70000, 5, 300000, 1}) {
    texts.emplace_back(size, static_cast<char>('a' + size % 26));
    lines += fmt::format("{{\"text\":\"{}\"}}\n", texts.back());
  }
  EXPECT_EQ(collect({.paths = {write("a.jsonl", lines)}}).texts(), texts);
}

TEST_F(Corpus, JsonlLimitsTheDecodedTextAndTheRawLine) {
  const std::size_t raw = (std::size_t{64} << 10) + 2 * 4;
  const auto with_other_field = [](std::size_t line_bytes) {
    const std::string start = "{\"text\":\"abcd\",\"x\":\"";
    return start + std::string(line_bytes - start.size() - 2, 'x') + "\"}\n";
  };
  const std::string path =
      write("a.jsonl", "{\"text\":\"\\u0061\\u0061\\u0061\\u0061\"}\n{\"text\":\"abcde\"}\n" + with_other_field(raw) +
                           with_other_field(raw + 1) + with_other_field(10 * raw) + "{\"text\":\"end\"}");
  const Collected found = collect({.paths = {path}, .max_doc_bytes = 4});
  EXPECT_EQ(found.texts(), (Texts{"aaaa", "<bad>", "abcd", "<bad>", "<bad>", "end"}));
  EXPECT_EQ(found.complaints(), (Texts{path + ":2: longer than `max_doc_bytes` (4 bytes)",
                                       path + ":4: longer than `max_doc_bytes` (4 bytes)",
                                       path + ":5: longer than `max_doc_bytes` (4 bytes)"}));
}

TEST_F(Corpus, JsonValuesBehindVeryLongTextBetweenRecordsAreReadWithAnyPieces) {
  const std::string blanks(std::size_t{80} << 10, ' ');
  const std::string noise(std::size_t{80} << 10, 'x');
  const std::string shorter(std::size_t{60} << 10, ' ');
  const std::string path =
      write("a.json.gz", gzip("[" + blanks + "{\"text\":\"a\"},\n{\"text\":\"b\"},\n" + noise + "{\"text\":\"c\"}," +
                              shorter + "\n{\"text\":\"d\",\"x\":\"" + noise + "\"},{\"text\":\"e\"}]" + blanks));
  const Collected found = collect({.paths = {path}, .format = Format::json, .max_doc_bytes = 4});
  EXPECT_EQ(found.texts(), (Texts{"<bad>", "a", "b", "<bad>", "c", "<bad>", "e", "<bad>"}));
  EXPECT_EQ(
      found.complaints(),
      (Texts{path + ":1: longer than `max_doc_bytes` (4 bytes)", path + ":2: longer than `max_doc_bytes` (4 bytes)",
             path + ":4: longer than `max_doc_bytes` (4 bytes)", path + ":4: longer than `max_doc_bytes` (4 bytes)"}));
}

}  // namespace
}  // namespace refrain::corpus
