#include "corpus/rewrite/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>

#include "base/files/file.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {
namespace fs = std::filesystem;
using Tree = std::map<std::string, std::string>;  // name below the folder -> content

// The ranges to cut from a document: random for a given seed and ordinal, and between characters.
class RandomCuts {
 public:
  explicit RandomCuts(unsigned seed) : seed_(seed) {}

  std::vector<ByteRange> operator()(DocId document, std::string_view text) const {
    std::mt19937 random(seed_ * 7919U + static_cast<unsigned>(document));
    std::vector<ByteRange> cuts;
    if (random() % 3 == 0) return cuts;
    if (random() % 5 == 0) return {{0, text.size()}};
    const std::size_t spread = 2 + random() % 20;
    bool open = false;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const bool inside = i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0U) == 0x80U;
      if (inside || (random() % spread != 0 && (i < text.size() || !open))) continue;
      if (open)
        cuts.back().end = i;
      else if (i < text.size())
        cuts.push_back({i, i});
      open = !open && i < text.size();
    }
    return cuts;
  }

 private:
  unsigned seed_;
};

std::string without(std::string_view text, const std::vector<ByteRange>& cuts) {
  std::string left;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (std::none_of(cuts.begin(), cuts.end(), [&](const ByteRange& c) { return c.begin <= i && i < c.end; }))
      left += text[i];
  return left;
}

Tree tree_of(const fs::path& folder) {
  Tree tree;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      tree[entry.path().lexically_relative(folder).string()] = read_file(entry.path().string());
  return tree;
}

struct Rewritten {
  Tree tree;
  RewriteReport report;
  std::vector<std::pair<DocId, std::string>> asked;
};

class Rewrite : public Corpus {
 protected:
  using Cut = std::function<std::vector<ByteRange>(DocId, std::string_view)>;

  Rewritten rewrite(const InputOptions& options, const Cut& cut, unsigned threads, const ReaderTuning& tuning,
                    std::uint64_t memory_bytes = std::uint64_t{512} << 20) {
    fs::remove_all(at("out"));
    fs::create_directory(at("out"));
    Context context;
    context.threads = threads;
    context.memory_bytes = memory_bytes;
    MemoryBudget budget(context);
    const std::uint64_t available = budget.available();
    Rewritten result;
    std::vector<ByteRange> cuts;
    const CutDocument ask = [&](DocId document, std::string_view text) -> TextCuts {
      if (text.size() < 1000) result.asked.emplace_back(document, text);
      cuts = cut(document, text);
      const std::uint64_t offset = 1000 * document;  // as if they were ranges of a longer text
      for (ByteRange& range : cuts) range = {range.begin + offset, range.end + offset};
      return {cuts, offset};
    };
    result.report = rewrite_documents(options, context, budget, at("out"), ask, tuning);
    EXPECT_EQ(budget.available(), available) << "memory that was not given back";
    result.tree = tree_of(at("out"));
    return result;
  }

  // Rewrites with 1, 2, 3 and 8 threads and with pieces from 16 bytes up. All results must be equal, and reading them
  // must give the cut texts under the same ordinals.
  Rewritten rewrite(const InputOptions& options, const Cut& cut) {
    const Rewritten usual = rewrite(options, cut, 1, {});
    std::uint64_t written = 0;
    for (const auto& [name, content] : usual.tree) written += content.size();
    EXPECT_EQ(usual.report.written_bytes, written);
    EXPECT_EQ(usual.report.files, usual.tree.size());
    const std::size_t first = ++calls_ % 2;
    for (const unsigned threads : {1U, 2U, 3U, 8U})
      for (const std::size_t piece_bytes : {first == 0 ? 16U : 61U, first == 0 ? 1000U : 0U}) {
        SCOPED_TRACE(testing::Message() << threads << " threads, pieces of " << piece_bytes << " bytes");
        const Rewritten other = rewrite(options, cut, threads, {.piece_bytes = piece_bytes});
        EXPECT_TRUE(other.tree == usual.tree);
        EXPECT_EQ(other.asked, usual.asked);
        EXPECT_EQ(other.report.changed, usual.report.changed);
        EXPECT_EQ(other.report.emptied, usual.report.emptied);
        EXPECT_EQ(other.report.removed_bytes, usual.report.removed_bytes);
        EXPECT_EQ(other.report.written_bytes, usual.report.written_bytes);
      }
    expect_cut_texts(options, cut, usual.report);
    return usual;
  }

  void expect_cut_texts(const InputOptions& options, const Cut& cut, const RewriteReport& report) {
    InputOptions again = options;
    again.paths.clear();
    const OutputNames names(options);
    for (std::size_t i = 0; i < options.paths.size(); ++i)
      again.paths.push_back(at("out/" + names.of({.path = options.paths[i], .failure = {}, .operand = i})));
    const Collected before = collect(options, 1, {});
    const Collected after = collect(again, 1, {});
    ASSERT_EQ(before.documents.size(), after.documents.size());
    std::uint64_t removed = 0;
    for (std::size_t i = 0; i < before.documents.size(); ++i) {
      const Document& old = before.documents[i];
      EXPECT_EQ(after.documents[i].bad, old.bad);
      const std::string left = old.bad ? "" : without(old.text, cut(i, old.text));
      EXPECT_EQ(after.documents[i].text, left) << i;
      removed += old.text.size() - left.size();
      EXPECT_TRUE(options.id_field.empty() || after.documents[i].id == old.id);
    }
    EXPECT_EQ(report.documents, before.report.documents);
    EXPECT_EQ(report.removed_bytes, removed);
  }

  // Expects that `content`, plain and compressed, becomes `expected`, and is unchanged without cuts.
  void expect_rewritten(const std::string& name, const std::string& content, const std::string& expected,
                        InputOptions options, const Cut& cut) {
    options.paths = {write("in/" + name, content), write("in/" + name + ".gz", gzip(content)),
                     write("in/" + name + ".zst", zstd(content))};
    // The same documents occur three times.
    const std::size_t count = collect(InputOptions{options}, 1, {}).documents.size() / 3;
    const Cut same = [&](DocId document, std::string_view text) { return cut(count ? document % count : 0, text); };
    const Rewritten found = rewrite(options, same);
    EXPECT_EQ(found.tree.at(name), expected);
    rewrite(options, same, 2, {});
    EXPECT_EQ(unpacked(at("out/" + name + ".gz")), expected);
    EXPECT_EQ(unpacked(at("out/" + name + ".zst")), expected);
    if (expected != content) {
      EXPECT_TRUE(found.tree.at(name + ".gz").starts_with("\x1f\x8b"));
      EXPECT_TRUE(found.tree.at(name + ".zst").starts_with("\x28\xb5\x2f\xfd"));
    }
    options.paths = {at("in")};
    Tree as_it_was;
    for (const auto& [below, bytes] : tree_of(at("in"))) as_it_was["in/" + below] = bytes;
    EXPECT_TRUE(rewrite(options, none, 3, {.piece_bytes = 40}).tree == as_it_was);
  }

  Error refusal_of(const InputOptions& options, const Cut& cut) {
    try {
      rewrite(options, cut, 2, {.piece_bytes = 64});
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return Error(Errc::io, "");
  }

  std::size_t calls_ = 0;

  static std::vector<ByteRange> none(DocId, std::string_view) { return {}; }
};

// Characters as they may be written in JSON, and their values.
const std::vector<std::pair<std::string, std::string>> kJsonCharacters = {{"a", "a"},
                                                                          {"b", "b"},
                                                                          {" ", " "},
                                                                          {"\xc3\xa9", "\xc3\xa9"},
                                                                          {"\\u00e9", "\xc3\xa9"},
                                                                          {"\\n", "\n"},
                                                                          {"\\\"", "\""},
                                                                          {"\\\\", "\\"},
                                                                          {"\\/", "/"},
                                                                          {"\\u0041", "A"},
                                                                          {"\\u20AC", "\xe2\x82\xac"},
                                                                          {"\\ud83d\\ude00", "\xf0\x9f\x98\x80"},
                                                                          {"\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80"},
                                                                          {"\\u0000", std::string(1, '\0')},
                                                                          {"\x7f", "\x7f"}};

std::string random_bytes(std::mt19937& random, std::string_view of, std::size_t most) {
  std::string bytes(random() % (most + 1), '\0');
  for (char& byte : bytes) byte = of[random() % of.size()];
  return bytes;
}

TEST_F(Rewrite, WholeFilesWithCuts) {
  std::mt19937 random(1);
  for (unsigned round = 0; round < 5; ++round) {
    const RandomCuts cut(round);
    const std::string content = random_bytes(random, "ab\r\n\xff\xc3\xa9\xe2", 300);
    expect_rewritten("a.txt", content, without(content, cut(0, content)), {.as_is = true}, cut);
  }
  expect_rewritten("a.txt", "", "", {}, RandomCuts(1));
}

TEST_F(Rewrite, LinesKeepTheirEndings) {
  std::mt19937 random(2);
  for (unsigned round = 0; round < 8; ++round) {
    const RandomCuts cut(round);
    std::string content = round % 4 == 1 ? "\xef\xbb\xbf" : "";
    std::string expected = content;
    const std::size_t lines = random() % 30;
    for (DocId i = 0; i < lines; ++i) {
      std::string line = random_bytes(random, "ab \"\xff\xc3\xa9", round == 0 ? 200 : 20);
      std::string ending = random() % 3 == 0 ? "\r\n" : "\n";
      if (i + 1 == lines && round % 2 == 0) {
        line += "end";
        ending = random() % 2 == 0 ? "\r" : "";
      }
      content += line + ending;
      std::string left = without(line, cut(i, line));
      expected += left + (left.empty() && ending.empty() ? "\n" : ending);
    }
    expect_rewritten("a", content, expected, {.paths = {}, .format = Format::lines}, cut);
  }
}

TEST_F(Rewrite, JsonlChangesNothingButTheText) {
  std::mt19937 random(3);
  for (unsigned round = 0; round < 8; ++round) {
    const RandomCuts cut(round);
    std::string content;
    std::string expected;
    DocId document = 0;
    const auto both = [&](std::string_view bytes) {
      content += bytes;
      expected += bytes;
    };
    for (std::size_t i = random() % 40; i > 0; --i) {
      const std::string ending = i == 1 && round % 2 == 0 ? "" : random() % 3 == 0 ? " \r\n" : "\n";
      const std::size_t kind = random() % 12;
      if (kind == 0) {
        both("  \t\r\n");
      } else if (kind == 1) {
        both(fmt::format("{{\"id\":\"x\",\"text\":{}}}\n", random() % 2 == 0 ? "7" : "\"unfinished"));
        ++document;
      } else {
        both(fmt::format("{}{{ \"id\" : \"n\\u{:04x}\\\"\",\"o\\\"\":{{\"text\":\"no\"}}, \"{}\"\t: \"",
                         random() % 2 == 0 ? " " : "", i, random() % 2 == 0 ? "text" : "te\\u0078t"));
        std::vector<std::pair<std::string, std::string>> characters;
        std::string text;
        const std::size_t kinds = random() % 3 == 0 ? 4 : kJsonCharacters.size();
        for (std::size_t size = random() % 30; size > 0; --size) {
          characters.push_back(kJsonCharacters[random() % kinds]);
          text += characters.back().second;
        }
        const std::vector<ByteRange> cuts = cut(document++, text);
        std::size_t at = 0;
        for (const auto& [raw, character] : characters) {
          content += raw;
          if (std::none_of(cuts.begin(), cuts.end(), [&](auto c) { return c.begin <= at && at < c.end; }))
            expected += raw;
          at += character.size();
        }
        both("\" , \"text\":\"second\"}" + ending);
      }
    }
    expect_rewritten("a.jsonl", content, expected, {.paths = {}, .id_field = "id"}, cut);
  }
}

TEST_F(Rewrite, TablesKeepTheirQuotes) {
  std::mt19937 random(4);
  for (unsigned round = 0; round < 8; ++round) {
    const bool tabs = round % 2 == 0;
    const std::string delimiter = tabs ? "\t" : ",";
    const RandomCuts cut(round);
    const std::string header = "\xef\xbb\xbf\n\"id\"" + delimiter + "text" + delimiter + "more\r\n";
    std::string content = header;
    std::string expected = header;
    DocId document = 0;
    const std::size_t rows = random() % 30;
    for (std::size_t i = 0; i < rows; ++i) {
      const bool quoted = random() % 2 == 0;
      const std::string text =
          quoted ? random_bytes(random, "ab\",\t\n\r\xc3\xa9", 25) : random_bytes(random, "xy\"\r", 9);
      if (!quoted && text.starts_with('"')) continue;
      const auto field = [](std::string_view of, bool quotes) {
        std::string out;
        for (const char c : of) out += quotes && c == '"' ? "\"\"" : std::string(1, c);
        return quotes ? "\"" + out + "\"" : out;
      };
      const std::string left = without(text, cut(document, text));
      const std::string before = fmt::format("{}{}", random() % 2 == 0 ? "7" : "\"4\n2\"", delimiter);
      const std::string after = delimiter + " \"z\"" + (random() % 2 == 0 ? "\r\n" : "\n");
      content += before + field(text, quoted) + after;
      expected += before + (left == text ? field(text, quoted) : field(left, quoted || left.starts_with('"'))) + after;
      ++document;
      if (random() % 6 == 0) {
        const std::string other = random() % 2 == 0 ? "\r\n" : "too few columns\n";
        document += other.size() > 2 ? 1 : 0;
        content += other;
        expected += other;
      }
    }
    expect_rewritten(tabs ? "a.tsv" : "a.csv", content, expected, {.paths = {}, .id_field = "id"}, cut);
  }
}

std::vector<ByteRange> first_byte(DocId, std::string_view text) {
  return {{0, std::min<std::size_t>(1, text.size())}};
}
std::vector<ByteRange> last_byte(DocId, std::string_view text) {
  return {{text.empty() ? 0 : text.size() - 1, text.size()}};
}
std::vector<ByteRange> everything(DocId, std::string_view text) {
  return {{0, text.size()}};
}

TEST_F(Rewrite, WhatAFormatWouldNotSayByItselfIsAdded) {
  const InputOptions lines{.paths = {}, .format = Format::lines};
  expect_rewritten("a", "x\nlast", "\n\n", lines, everything);
  expect_rewritten("a", "x\nlast\r", "\n\r", lines, everything);
  expect_rewritten("a", "a\rb\nc\rd\r\ne\rf", "a\r\r\nc\r\r\ne\r\r", lines, last_byte);
  expect_rewritten("a", "x\xef\xbb\xbfy\nx\xef\xbb\xbfy\n", "\xef\xbb\xbf\xef\xbb\xbfy\n\xef\xbb\xbfy\n", lines,
                   first_byte);
  expect_rewritten("a.csv", "text\nx\r\ny", "text\n\"\"\r\n\"\"", {}, everything);
  expect_rewritten("a.csv", "text,b\nx,1\n\"y\",2\nz\n", "text,b\n,1\n\"\",2\n\"\"\n", {}, everything);
  expect_rewritten("a.csv", "b,text\n1,x\n2,\"y\"\n3,z", "b,text\n1,\n2,\"\"\n3,", {}, everything);
  expect_rewritten("a.csv", "text\na\"b\"\n\"a\"\"b\"\n\"\"a\nab\"c\n", "text\n\"\"\"b\"\"\"\n\"\"\"b\"\n\"\"\nb\"c\n",
                   {}, first_byte);
  expect_rewritten("a.csv", "b,text\n1,a\rb\r\n2,a\rb", "b,text\n1,\"a\r\"\r\n2,\"a\r\"", {}, last_byte);
  expect_rewritten("a.csv", "text,b\n\"a\"b c,1\n", "text,b\n\"ab \",1\n", {}, last_byte);
}

TEST_F(Rewrite, AJsonTextStaysUtf8WhereCharactersAreCutApart) {
  const std::string path = write("a.jsonl",
                                 "{\"text\":\"\xc3\xa9\\u00e8x\\n\"}\n"
                                 "{\"text\":\"\\ud83d\\ude00\\\"\"}\n{\"text\":\"\xc3\xa9\xc3\xa8\"}\n");
  const Cut middle = [](DocId document, std::string_view) -> std::vector<ByteRange> {
    if (document == 0) return {{1, 2}, {3, 4}};  // leaves two halves that are not a character
    if (document == 1) return {{0, 1}};
    return {{1, 3}};  // leaves two halves that are one
  };
  const Rewritten found = rewrite({.paths = {path}}, middle, 2, {});
  EXPECT_EQ(found.tree.at("a.jsonl"),
            "{\"text\":\"\xef\xbf\xbd\xef\xbf\xbdx\\n\"}\n"
            "{\"text\":\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\\"\"}\n{\"text\":\"\xc3\xa8\"}\n");
}

TEST_F(Rewrite, AnUnpairedSurrogateBeforeACutDoesNotShiftIt) {
  const std::string path = write("a.jsonl", R"({"text":"\ud800keep, and cut"})"
                                            "\n"
                                            R"({"text":"a\udc00\ud83d\ude00 and cut"})"
                                            "\n");
  const Cut end = [](DocId, std::string_view text) -> std::vector<ByteRange> {
    return {{text.find("and cut"), text.size()}};
  };
  EXPECT_EQ(rewrite({.paths = {path}}, end).tree.at("a.jsonl"),
            "{\"text\":\"\\ud800keep, \"}\n{\"text\":\"a\\udc00\\ud83d\\ude00 \"}\n");
}

TEST_F(Rewrite, BadRecordsAreCopied) {
  const std::string line(100, 'x');
  std::string content;
  for (const std::size_t size : {9, 10, 11, 40, 3000, 5})
    content += line.substr(0, size) + std::string(size / 101, 'y') + "\n";
  content.insert(content.size() - 6, std::string(5000, 'z') + "\n");
  InputOptions options{.paths = {write("a", content)}, .format = Format::lines};
  options.max_doc_bytes = 10;
  std::string expected = "\n\n" + content.substr(21, content.size() - 27) + "\n";
  EXPECT_EQ(rewrite(options, everything).tree.at("a"), expected);
  options.paths.front() =
      write("b.csv", "text\n" + std::string(200000, 'x') + "\n\"ok\"\n\"" + std::string(200000, '\n'));
  options.format = Format::automatic;
  const std::string long_rows = "text\n" + std::string(200000, 'x') + "\n\"\"\n\"" + std::string(200000, '\n');
  for (const unsigned threads : {1U, 3U})
    EXPECT_TRUE(rewrite(options, everything, threads, {.piece_bytes = 1000}).tree.at("b.csv") == long_rows);
}

// Damage that is shorter than a record is packed with what follows it, wherever pieces and batches end.
TEST_F(Rewrite, PackedWebArchivesDoNotDependOnPieces) {
  const auto record = [](char letter) {
    const std::string text(300, letter);
    return fmt::format(
        "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a/{}\r\nContent-Type: text/plain\r\n"
        "Content-Length: {}\r\n\r\n{}\r\n\r\n",
        letter, text.size(), text);
  };
  std::string archive;
  for (char letter = 'a'; letter < 'k'; ++letter) {
    archive += record(letter);
    for (int i = 0; i < letter - 'a'; ++i) archive += "WARC/1.0\r\n";
  }
  const InputOptions options{.paths = {write("a.warc.gz", gzip(archive))}};
  const auto drop = [](DocId document, std::string_view) -> TextCuts {
    return {.ranges = {}, .offset = 0, .drop = document == 3};
  };
  const auto packed = [&](unsigned threads, std::size_t piece_bytes) {
    fs::remove_all(at("out"));
    fs::create_directory(at("out"));
    MemoryBudget budget(context(threads));
    rewrite_documents(options, context(threads), budget, at("out"), drop, {.piece_bytes = piece_bytes});
    return tree_of(at("out")).at("a.warc.gz");
  };
  const std::string wanted = packed(1, 0);
  EXPECT_NE(wanted, read_file(at("a.warc.gz")));
  std::size_t members = 0;
  for (std::size_t found = 0; (found = wanted.find("\x1f\x8b\x08", found)) != std::string::npos; ++found) ++members;
  EXPECT_GE(members, 9U);
  for (const unsigned threads : {1U, 3U})
    for (const std::size_t piece_bytes : {16U, 97U, 1000U}) EXPECT_EQ(packed(threads, piece_bytes), wanted);
}

TEST_F(Rewrite, FoldersComeWithWhatWasReadInThem) {
  using std::string_literals::operator""s;
  write("in/a/b/c.txt", "text");
  write("in/a/d.jsonl", "{\"text\":\"text\"}");
  write("in/a/empty.csv", "");
  write("in/a/blank.jsonl", "\n\n");
  write("in/a/header.tsv.gz", gzip("text\n"));
  write("in/binary", "a\0b"s);
  write("in/.hidden", "text");
  fs::create_symlink(at("in/a/d.jsonl"), at("in/link"));
  fs::create_directory(at("in/nothing"));
  write("in/damaged.gz", gzip(std::string(100, 'x'), 20));
  write("in/long", "far too long for this limit");
  const Rewritten found = rewrite({.paths = {at("in/")}, .max_doc_bytes = 20}, last_byte);
  EXPECT_EQ(found.tree, (Tree{{"in/a/b/c.txt", "tex"},
                              {"in/a/d.jsonl", "{\"text\":\"tex\"}"},
                              {"in/a/empty.csv", ""},
                              {"in/a/blank.jsonl", "\n\n"},
                              {"in/a/header.tsv.gz", gzip("text\n")},
                              {"in/damaged.gz", gzip(std::string(100, 'x'), 20)},
                              {"in/long", "far too long for this limit"}}));
  EXPECT_EQ(found.report.documents, 2U);
  EXPECT_EQ(found.report.changed, 2U);
  EXPECT_EQ(found.report.emptied, 0U);
  EXPECT_EQ(found.report.removed_bytes, 2U);
}

TEST_F(Rewrite, FilesOfOneNameDoNotMeet) {
  write("one/a.csv", "text\nx\n");
  write("two/a.csv", "text\ny\n");
  EXPECT_EQ(rewrite({.paths = {at("one/a.csv"), at("two/a.csv"), at("one")}}, none).tree,
            (Tree{{"a.csv", "text\nx\n"}, {"a-2.csv", "text\ny\n"}, {"one/a.csv", "text\nx\n"}}));
}

TEST_F(Rewrite, WhatCannotBeReadTwiceIsRefused) {
  const Error error = refusal_of({.paths = {write("a", "x"), "-"}}, none);
  EXPECT_EQ(error.code(), Errc::invalid_argument);
  EXPECT_STREQ(error.what(), "-: must be read twice; write it to a file first");
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0666), 0);
  EXPECT_EQ(refusal_of({.paths = {at("pipe")}}, none).code(), Errc::invalid_argument);
}

TEST_F(Rewrite, ErrorsEndIt) {
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += "line\n";
  const InputOptions options{.paths = {write("a", lines)}, .format = Format::lines};
  const auto cut_to = [](std::uint64_t begin, std::uint64_t end) {
    return [=](DocId document, std::string_view) -> std::vector<ByteRange> {
      if (document < 1000) return {};
      return {{0, 1}, {begin, end}};
    };
  };
  EXPECT_EQ(refusal_of(options, cut_to(0, 2)).code(), Errc::invalid_argument);
  EXPECT_EQ(refusal_of(options, cut_to(2, 5)).code(), Errc::invalid_argument);
  EXPECT_EQ(refusal_of(options, cut_to(3, 2)).code(), Errc::invalid_argument);
  const Cut fails = [](DocId, std::string_view) -> std::vector<ByteRange> { throw Error(Errc::io, "the caller's"); };
  EXPECT_STREQ(refusal_of(options, fails).what(), "the caller's");
  EXPECT_EQ(refusal_of({.paths = {write("b.jsonl", "{}")}, .strict = true}, none).code(), Errc::bad_input);
}

TEST_F(Rewrite, AFullDiskIsOverBudget) {
  // A link to /dev/full replaces the file to be written.
  const InputOptions options{.paths = {write("a", std::string(1000, 'x'))}};
  Context context;
  MemoryBudget budget(context);
  fs::create_directory(at("out"));
  fs::create_symlink("/dev/full", at("out/a"));
  try {
    rewrite_documents(options, context, budget, at("out"), [](DocId, std::string_view) { return TextCuts{}; });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget) << error.what();
  }
}

TEST_F(Rewrite, TheStopTokenEndsItAndProgressIsCalledWrite) {
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += "line\n";
  std::stop_source stop;
  Context context;
  context.threads = 3;
  context.stop = stop.get_token();
  context.progress = [](const ProgressUpdate& update) { EXPECT_EQ(update.stage, "write"); };
  MemoryBudget budget(context);
  fs::create_directory(at("out"));
  const InputOptions options{.paths = {write("a", lines)}, .format = Format::lines};
  const auto run = [&](DocId last) {
    rewrite_documents(options, context, budget, at("out"),
                      [&](DocId document, std::string_view) {
                        if (document == last) stop.request_stop();
                        return TextCuts{};
                      },
                      {.piece_bytes = 64});
  };
  run(5000);
  EXPECT_EQ(read_file(at("out/a")), lines);
  try {
    run(10);
    ADD_FAILURE() << "was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
}

TEST_F(Rewrite, LongRecordsWaitForTheirTurnInsteadOfMemory) {
  InputOptions options;
  Tree expected;
  for (int i = 0; i < 12; ++i) {
    const std::string text(3 << 20, static_cast<char>('a' + i));
    const std::string name = fmt::format("{}.{}", i, i % 3 == 0 ? "txt" : "jsonl");
    const auto content = [&](std::string_view of) {
      return i % 3 == 0 ? std::string(of) : fmt::format("{{\"text\":\"x\"}}\n{{\"text\":\"{}\\n\"}}\n{{}}\n", of);
    };
    options.paths.push_back(write(name, content(text)));
    expected[name] = content(std::string_view(text).substr(1));
  }
  const Cut cut = [](DocId document, std::string_view text) {
    return text.size() == 1 ? std::vector<ByteRange>{} : first_byte(document, text);
  };
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    EXPECT_TRUE(rewrite(options, cut, threads, {}, std::uint64_t{96} << 20).tree == expected);
}

TEST_F(Corpus, NamesAreTheLastOfThePathAndDifferent) {
  const auto names = [](const std::vector<std::string>& paths) {
    const OutputNames all({.paths = paths});
    Texts found;
    for (std::size_t i = 0; i < paths.size(); ++i)
      found.push_back(all.of({.path = paths[i], .failure = {}, .operand = i}));
    return found;
  };
  fs::create_directories(at("d/e.x"));
  EXPECT_EQ(
      names({"a/x.jsonl.gz", "b/x.jsonl.gz", "x", "c/x", "x-2", "x", ".x", "y/.x", "z.gz", "w/z.gz", ".gz", "a/.gz"}),
      (Texts{"x.jsonl.gz", "x-2.jsonl.gz", "x", "x-2", "x-2-2", "x-3", ".x", ".x-2", "z.gz", "z-2.gz", ".gz",
             ".gz-2"}));
  EXPECT_EQ(names({at("d/e.x"), at("d/e.x//"), at("d/e.x/."), at("d/e.x/.."), "/"}),
            (Texts{"e.x", "e.x-2", "e.x-3", "d", "input"}));
  const OutputNames below({.paths = {"a//", at("d")}});
  EXPECT_EQ(below.of({.path = "a//b/c", .failure = {}, .operand = 0}), "a/b/c");
  EXPECT_EQ(below.of({.path = at("d") + "/b", .failure = {}, .operand = 1}), "d/b");
}

}  // namespace
}  // namespace refrain::corpus
