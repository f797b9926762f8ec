#include <fmt/format.h>
#include <simdjson.h>

#include <map>
#include <random>

#include "base/files/file.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {
namespace fs = std::filesystem;
using Tree = std::map<std::string, std::string>;  // name below the folder -> content

// A document is dropped, is kept, or loses its first byte.
enum class Fate { drop, keep, drop_first_byte };
using Fates = std::function<Fate(DocId, std::string_view)>;

std::string left_of(const std::string& text, Fate fate) {
  return fate == Fate::drop_first_byte && !text.empty() ? text.substr(1) : text;
}

class Drop : public Corpus {
 protected:
  struct Result {
    Tree tree;
    RewriteReport report;
  };

  Result rewrite(const InputOptions& options, const Fates& fates, unsigned threads, const ReaderTuning& tuning) {
    fs::remove_all(at("out"));
    fs::create_directory(at("out"));
    Context context;
    context.threads = threads;
    context.memory_bytes = std::uint64_t{512} << 20;
    MemoryBudget budget(context);
    Result result;
    ByteRange range;
    const CutDocument ask = [&](DocId document, std::string_view text) -> TextCuts {
      const Fate fate = fates(document, text);
      range = {0, fate == Fate::drop_first_byte && !text.empty() ? std::size_t{1} : std::size_t{0}};
      return {.ranges = {&range, 1}, .offset = 0, .drop = fate == Fate::drop};
    };
    result.report = rewrite_documents(options, context, budget, at("out"), ask, tuning);
    for (const auto& entry : fs::recursive_directory_iterator(at("out")))
      if (entry.is_regular_file())
        result.tree[entry.path().lexically_relative(at("out")).string()] = read_file(entry.path().string());
    return result;
  }

  // Expects the same result for any threads and pieces. Reading it must give what was kept, in order, and the bad
  // records.
  Result rewrite(const InputOptions& options, const Fates& fates) {
    Result usual = rewrite(options, fates, 1, {});
    const Collected before = collect(options, 1, {});
    std::vector<std::string> expected;
    std::uint64_t dropped = 0;
    std::uint64_t dropped_bytes = 0;
    for (std::size_t i = 0; i < before.documents.size(); ++i) {
      const Document& document = before.documents[i];
      const Fate fate = document.bad ? Fate::keep : fates(i, document.text);
      dropped += fate == Fate::drop ? 1 : 0;
      dropped_bytes += fate == Fate::drop ? document.text.size() : 0;
      if (fate != Fate::drop) expected.push_back(document.bad ? "<bad>" : left_of(document.text, fate));
    }
    EXPECT_EQ(usual.report.documents, before.report.documents);
    EXPECT_EQ(usual.report.dropped, dropped);
    EXPECT_EQ(usual.report.dropped_bytes, dropped_bytes);
    EXPECT_EQ(usual.report.files, usual.tree.size());
    InputOptions again = options;
    again.paths.clear();
    const OutputNames names(options);
    for (std::size_t i = 0; i < options.paths.size(); ++i) {
      const std::string path = at("out/" + names.of({.path = options.paths[i], .failure = {}, .operand = i}));
      if (fs::exists(path)) again.paths.push_back(path);
    }
    EXPECT_EQ(again.paths.empty() ? Texts{} : collect(again, 1, {}).texts(), expected);
    for (const unsigned threads : {1U, 3U, 8U})
      for (const std::size_t piece_bytes : {16U, 61U, 1000U}) {
        SCOPED_TRACE(testing::Message() << threads << " threads, pieces of " << piece_bytes << " bytes");
        const Result other = rewrite(options, fates, threads, {.piece_bytes = piece_bytes});
        EXPECT_TRUE(other.tree == usual.tree);
        EXPECT_EQ(other.report.dropped, dropped);
        EXPECT_EQ(other.report.dropped_bytes, dropped_bytes);
      }
    return usual;
  }

  // Expects that `content`, plain and compressed, becomes `expected`.
  void expect_rewritten(const std::string& name, const std::string& content, const std::string& expected,
                        InputOptions options, const Fates& fates) {
    options.paths = {write("in/" + name, content)};
    const Result plain = rewrite(options, fates);
    EXPECT_EQ(plain.tree, (Tree{{name, expected}}));
    for (const bool use_gzip : {false, true}) {
      const std::string packed = use_gzip ? gzip(content) : zstd(content);
      const std::string packed_name = name + (use_gzip ? ".gz" : ".zst");
      options.paths = {write("in/" + packed_name, packed)};
      const Result found = rewrite(options, fates);
      rewrite(options, fates, 1, {});
      Packing packing{};
      EXPECT_EQ(unpacked(at("out/" + packed_name), &packing), expected);
      EXPECT_EQ(packing, use_gzip ? Packing::gzip : Packing::zstd);
      if (expected == content) {
        EXPECT_EQ(found.tree.at(packed_name), packed);
      }
    }
  }

  static Fates of(std::string fates) {
    return [fates = std::move(fates)](DocId document, std::string_view) {
      const char c = document < fates.size() ? fates[document] : fates.back();
      return c == 'd' ? Fate::drop : c == 'k' ? Fate::keep : Fate::drop_first_byte;
    };
  }
};

TEST_F(Drop, ALineGoesWithItsLineBreak) {
  const InputOptions lines{.paths = {}, .format = Format::lines};
  expect_rewritten("a", "one\ntwo\r\n\nfour", "two\r\nfour", lines, of("dkdk"));
  expect_rewritten("a", "one\ntwo\r\n\nfour", "one\n\n", lines, of("kdkd"));
  expect_rewritten("a", "one\ntwo", "", lines, of("d"));
  expect_rewritten("a", "one\ntwo", "wo", lines, of("db"));
  expect_rewritten("a", "\n\nx\n", "\n", lines, of("dkd"));
  expect_rewritten("a", "one\ntwo\n", "one\ntwo\n", lines, of("k"));
}

TEST_F(Drop, AByteOrderMarkInsideAFileDoesNotBecomeItsOwn) {
  const InputOptions lines{.paths = {}, .format = Format::lines};
  expect_rewritten("a", "one\n\xef\xbb\xbftwo\n", "\xef\xbb\xbf\xef\xbb\xbftwo\n", lines, of("dk"));
  expect_rewritten("a", "one\nx\xef\xbb\xbftwo\n", "\xef\xbb\xbf\xef\xbb\xbftwo\n", lines, of("db"));
  expect_rewritten("a", "\xef\xbb\xbfone\n\xef\xbb\xbftwo\n", "\xef\xbb\xbf\xef\xbb\xbftwo\n", lines, of("dk"));
  expect_rewritten("a", "\xef\xbb\xbfone\ntwo\n", "\xef\xbb\xbf", lines, of("d"));
  // A bad record stays one.
  expect_rewritten("a.jsonl", "{\"text\":\"one\"}\n\xef\xbb\xbf{\"text\":\"two\"}\n",
                   "\xef\xbb\xbf\xef\xbb\xbf{\"text\":\"two\"}\n", {}, of("dk"));
}

TEST_F(Drop, AJsonRecordGoesWithItsLineAndBlankLinesStay) {
  const std::string content =
      " \n{\"text\":\"one\"} \r\n{\"text\":7}\n\n{\"a\":{\"text\":\"x\"},\"text\":\"t\\n\\u0041\"}\n\t{\"text\":\"\"}";
  expect_rewritten("a.jsonl", content, " \n{\"text\":7}\n\n\t{\"text\":\"\"}", {}, of("dkdk"));
  expect_rewritten("a.jsonl", content, " \n{\"text\":\"ne\"} \r\n{\"text\":7}\n\n", {}, of("bkdd"));
}

TEST_F(Drop, AnArrayStaysAnArray) {
  const std::string one = R"({"text":"one"})";
  const std::string two = "{\"id\": [2, \"}\"],\n  \"text\" : \"t\\\\w\\u006f\"}";
  const std::string six = R"({"text":"six"})";
  const std::string content = "[\n " + one + ",\n\t" + two + " , " + six + "\n]\n";
  expect_rewritten("a.json", content, content, {}, of("k"));
  expect_rewritten("a.json", content, "[\n " + two + " , " + six + "\n]\n", {}, of("dkk"));
  expect_rewritten("a.json", content, "[\n " + one + " , " + six + "\n]\n", {}, of("kdk"));
  expect_rewritten("a.json", content, "[\n " + one + ",\n\t" + two + "\n]\n", {}, of("kkd"));
  expect_rewritten("a.json", content, "[\n " + six + "\n]\n", {}, of("ddk"));
  expect_rewritten("a.json", content, "[\n]\n", {}, of("d"));
  expect_rewritten("a.json", content, "[\n {\"text\":\"ne\"} , {\"text\":\"ix\"}\n]\n", {}, of("bdb"));
  expect_rewritten("a.json", "\xef\xbb\xbf[" + one + "," + six + "]", "\xef\xbb\xbf[" + six + "]", {}, of("dk"));
}

TEST_F(Drop, ValuesOneAfterTheOtherStaySo) {
  const std::string content = "{\n\"text\":\"one\"}\n\n{\"text\":\n\"two\"} {\"text\":\n\"six\"}\n";
  expect_rewritten("a.json", content, "{\"text\":\n\"two\"} {\"text\":\n\"six\"}\n", {}, of("dkk"));
  expect_rewritten("a.json", content, "{\n\"text\":\"one\"}\n", {}, of("kdd"));
  expect_rewritten("a.json", content, "\n", {}, of("d"));
  // Two arrays, and arrays in an array.
  const InputOptions values{.paths = {}, .format = Format::json};
  expect_rewritten("a", R"([{"text":"a"}] [{"text":"b"}, {"text":"c"}])", R"([] [{"text":"c"}])", values, of("ddk"));
  expect_rewritten("a", R"([[{"text":"a"}, {"text":"b"}],[{"text":"c"}]])", R"([[{"text":"b"}],[]])", values,
                   of("dkd"));
}

TEST_F(Drop, WhatIsNoRecordOfAnArrayStaysInIt) {
  const std::string content = R"([{"text":"a"}, {"no":"]}[,"}, 5, {"text":"b"}, {"text":7}, {"text":"c"}])";
  const std::string bad = R"({"no":"]}[,"}, 5)";
  // The records are a, a bad one, b after invalid text, another bad one, and c.
  const Fates all_go = [](DocId, std::string_view) { return Fate::drop; };
  expect_rewritten("a.json", content, "[" + bad + R"(, {"text":7}])", {}, all_go);
  const Fates b_stays = [](DocId, std::string_view text) { return text == "b" ? Fate::keep : Fate::drop; };
  expect_rewritten("a.json", content, "[" + bad + R"(, {"text":"b"}, {"text":7}])", {}, b_stays);
}

TEST_F(Drop, ARowGoesAndTheHeaderStays) {
  const std::string content = "\xef\xbb\xbf\r\n\"b\",text\r\n1,\"x\n\"\"y\"\"\"\r\n\n2,z\ntoo few\n3,\"not closed\n";
  const std::string header = "\xef\xbb\xbf\r\n\"b\",text\r\n";
  expect_rewritten("a.csv", content, header + "\n2,z\ntoo few\n3,\"not closed\n", {}, of("dk"));
  expect_rewritten("a.csv", content, header + "\ntoo few\n3,\"not closed\n", {}, of("d"));
  expect_rewritten("a.csv", content, header + "1,\"\n\"\"y\"\"\"\r\n\ntoo few\n3,\"not closed\n", {}, of("bd"));
  expect_rewritten("a.tsv", "text\na\nb", "text\n", {}, of("d"));
}

TEST_F(Drop, AWholeFileIsNotWritten) {
  write("in/a", "one");
  write("in/b/c.gz", gzip("two"));
  write("in/d", "three");
  write("in/long", "far too long for this limit");
  const Result found = rewrite({.paths = {at("in")}, .max_doc_bytes = 20}, of("kdb"));
  EXPECT_EQ(found.tree, (Tree{{"in/a", "one"}, {"in/d", "hree"}, {"in/long", "far too long for this limit"}}));
  EXPECT_FALSE(fs::exists(at("out/in/b")));
}

TEST_F(Drop, AFileThatIsNoTableIsNotReadAndNotCopied) {
  write("in/a.csv", "one,two\n1,2\n");
  write("in/b.csv", "text\nx\ny\n");
  write("in/c.csv.gz", gzip("\"not closed"));
  const Result found = rewrite({.paths = {at("in")}}, of("dk"));
  EXPECT_EQ(found.tree, (Tree{{"in/b.csv", "text\ny\n"}}));
}

TEST_F(Drop, RandomArraysStayJson) {
  std::mt19937 random(5);
  simdjson::dom::parser parser;
  for (int round = 0; round < 20; ++round) {
    std::string content = "[";
    std::vector<std::string> kept;
    const std::size_t count = random() % 40;
    const auto fate = [seed = random()](DocId document) { return (document * 2654435761U + seed) % 7 < 3; };
    const char* const breaks[] = {"", " ", "\n", "\r\n  "};
    for (std::size_t i = 0; i < count; ++i) {
      const std::string record =
          fmt::format(R"({{"text":"{} {}","list":[1,{{"a":"]"}}]}})", i, std::string(random() % 60, 'x'));
      if (!fate(i)) kept.push_back(record);
      content += (i == 0 ? "" : ",") + std::string(breaks[random() % 4]) + record + breaks[random() % 4];
    }
    content += "]";
    const InputOptions options{.paths = {write("in/a.json", content)}, .format = Format::json};
    const Result result =
        rewrite(options, [&](DocId document, std::string_view) { return fate(document) ? Fate::drop : Fate::keep; });
    simdjson::dom::array array;
    ASSERT_EQ(parser.parse(simdjson::padded_string(result.tree.at("a.json"))).get(array), simdjson::SUCCESS) << content;
    std::vector<std::string> found;
    for (const simdjson::dom::element element : array) found.push_back(simdjson::minify(element));
    EXPECT_EQ(found, kept);
  }
}

TEST_F(Drop, RandomFatesOfManyRecords) {
  for (unsigned seed = 0; seed < 6; ++seed) {
    std::mt19937 random(seed);
    std::string lines;
    std::string json;
    std::string table = "text,n\n";
    for (int i = 0; i < 60; ++i) {
      const std::string text(random() % 40, static_cast<char>('a' + i % 26));
      const std::string ending = i == 59 && seed % 2 == 0 ? "" : random() % 4 == 0 ? "\r\n" : "\n";
      lines += text + ending;
      json += (random() % 9 == 0 ? "bad" : fmt::format("{{\"n\":{},\"text\":\"{}\"}}", i, text)) + ending;
      table += (random() % 9 == 0 ? "\n" : fmt::format("\"{}\n\",{}", text, i)) + ending;
    }
    const Fates fates = [seed](DocId document, std::string_view) {
      const auto drawn = std::mt19937(seed * 1000 + static_cast<unsigned>(document))() % 3;
      return drawn == 0 ? Fate::drop : drawn == 1 ? Fate::keep : Fate::drop_first_byte;
    };
    InputOptions options{.paths = {write("a.jsonl", json), write("b.csv", table), write("c.txt", lines)}};
    rewrite(options, fates);
    options = {.paths = {write("lines", lines)}, .format = Format::lines};
    rewrite(options, fates);
  }
}

TEST_F(Drop, AMillionDroppedBytesOfOneRecord) {
  const std::string text(1 << 20, 'x');
  const InputOptions options{.paths = {write("a.jsonl", fmt::format("{{\"text\":\"a\"}}\n{{\"text\":\"{}\"}}\n"
                                                                    "{{\"text\":\"b\"}}\n",
                                                                    text))}};
  for (const unsigned threads : {1U, 3U}) {
    const Result found = rewrite(options, of("kdk"), threads, {.piece_bytes = 1000, .share_bytes = 1000});
    EXPECT_EQ(found.tree.at("a.jsonl"), "{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
    EXPECT_EQ(found.report.dropped_bytes, text.size());
  }
}

}  // namespace
}  // namespace refrain::corpus
