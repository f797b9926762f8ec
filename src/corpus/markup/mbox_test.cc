#include "corpus/markup/mail.h"

#include <random>

#include "corpus/rewrite/rewrite.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

const std::string kFromA = "From a@b.c Sat Jan  3 01:05:34 1996\n";

std::string message(const std::string& id, const std::string& body) {
  return kFromA + "Subject: s" + id + "\n" + (id.empty() ? "" : "Message-ID: <" + id + ">\n") + "\n" + body + "\n\n";
}

class Mbox : public Corpus {};

TEST_F(Mbox, EveryMessageIsADocument) {
  const std::string box = message("1", "one\n\n>From here\n>>From there\n> From") + message("", "two") +
                          message("3", "three\nFrom the middle of it");
  for (const char* name : {"a.mbox", "Inbox", "2010-March.txt"}) {
    const Collected found = collect({.paths = {write(std::string("in/") + name, box)}});
    EXPECT_EQ(found.texts(),
              (Texts{"s1\n\none\n\nFrom here\n>From there\n> From", "s\n\ntwo", "s3\n\nthree\nFrom the middle of it"}));
    EXPECT_EQ(found.ids(), (Texts{"1", at(std::string("in/") + name) + ":2", "3"}));
  }
  EXPECT_EQ(collect({.paths = {at("in")}}).documents.size(), 9U);
  EXPECT_EQ(collect({.paths = {write("b.gz", gzip(box))}}).documents.size(), 3U);
  EXPECT_EQ(collect({.paths = {write("c.dat", box)}, .format = Format::mbox}).documents.size(), 3U);
  // In a folder, only files with names of mailboxes are read as mailboxes; with as_is, none are.
  write("other/c.dat", box);
  EXPECT_EQ(collect({.paths = {at("other")}}).texts(), (Texts{box}));
  EXPECT_EQ(collect({.paths = {at("in/Inbox")}, .as_is = true}).texts(), (Texts{box}));
}

TEST_F(Mbox, LinesMayEndInEitherWay) {
  std::string box = message("1", "one") + message("2", "two");
  for (std::size_t i = box.find('\n'); i != std::string::npos; i = box.find('\n', i + 2)) box.insert(i, "\r");
  EXPECT_EQ(collect({.paths = {write("a.mbox", "\r\n" + box)}, .format = Format::mbox}).texts(),
            (Texts{"s1\n\none", "s2\n\ntwo"}));
}

TEST_F(Mbox, HeadersAreFieldsAndIds) {
  const std::string path = write("a.mbox", message("1", "x") + kFromA + "X-Id: 7\nTo: b,\n c\n\ny\n");
  EXPECT_EQ(collect({.paths = {path}, .extra_fields = {"to", "x-id"}}).documents[1].fields,
            (Texts{"string:b, c", "string:7"}));
  const Collected found = collect({.paths = {path}, .id_field = "x-id"});
  EXPECT_EQ(found.ids(), (Texts{"", "7"}));
  EXPECT_EQ(found.complaints(), (Texts{path + ":1: no header 'x-id'"}));
}

TEST_F(Mbox, WhatIsTooLongIsPassedOver) {
  const std::string image = kFromA + "Subject: long\nContent-Type: image/png\n\n" + std::string(66000, 'x') + "\n\n";
  const std::string path = write("a.mbox", message("1", "one") + image + message("3", std::string(300, 'y')) + image +
                                               std::string(70000, '>') + "\n\n" + message("5", "five"));
  const Collected found = collect({.paths = {path}, .max_doc_bytes = 200});
  EXPECT_EQ(found.texts(), (Texts{"s1\n\none", "<bad>", "<bad>", "<bad>", "s5\n\nfive"}));
  EXPECT_EQ(found.report.examples[1].line, 13U);
  // Sizes around the limit, with different pieces.
  for (std::size_t size = 65500; size < 65640; size += 7) {
    const std::string edge = kFromA + "Content-Type: image/png\n\n" + std::string(size, 'x') + "\n\n";
    collect({.paths = {write("edge.mbox", edge + message("2", "two"))}, .max_doc_bytes = 10}, 2, {.piece_bytes = 16});
    expect_same(collect({.paths = {at("edge.mbox")}, .max_doc_bytes = 10}, 1, {}),
                collect({.paths = {at("edge.mbox")}, .max_doc_bytes = 10}, 3, {.piece_bytes = 61}));
  }
}

TEST_F(Mbox, KeptMessagesAreWrittenByteForByte) {
  const std::string a = message("1", ">From keep");
  const std::string b = message("2", "drop");
  const std::string long_one = kFromA + "\n" + std::string(70000, 'x') + "\n\n";
  const std::string box = a + b + long_one + b + a + "no line break behind it";
  const std::string kept = a + long_one + a + "no line break behind it";
  const InputOptions options{.paths = {write("a.mbox", box), write("b.mbox.gz", gzip(box))}, .max_doc_bytes = 100};
  Context context;
  MemoryBudget budget(context);
  const CutDocument cut = [](DocId, std::string_view text) -> TextCuts {
    return {.ranges = {}, .offset = 0, .drop = text.ends_with("drop")};
  };
  for (const std::size_t piece_bytes : {16U, 61U, 1000U, 0U}) {
    std::filesystem::remove_all(at("out"));
    std::filesystem::create_directory(at("out"));
    const ReaderTuning tuning{.piece_bytes = piece_bytes};
    EXPECT_EQ(rewrite_documents(options, context, budget, at("out"), cut, tuning).dropped, 4U);
    EXPECT_EQ(unpacked(at("out/a.mbox")), kept);
    EXPECT_EQ(unpacked(at("out/b.mbox.gz")), kept);
  }
  const CutDocument first = [](DocId, std::string_view) -> TextCuts {
    static constexpr ByteRange kFirst{0, 1};
    return {.ranges = {&kFirst, 1}, .offset = 0, .drop = false};
  };
  std::filesystem::create_directory(at("cut"));
  EXPECT_THROW(rewrite_documents(options, context, budget, at("cut"), first), Error);
}

TEST_F(Mbox, MessagesAreCutAsByTheSlowAndObviousWay) {
  std::mt19937 random(7);
  const std::string kinds[] = {"\n", "From x\n", ">From x\n", "From", "text\n", "\r\n", "F", " From x\n"};
  for (int round = 0; round < 300; ++round) {
    std::string box = "From x\n";
    for (std::size_t count = random() % 30; count > 0; --count) box += kinds[random() % std::size(kinds)];
    std::vector<std::size_t> expected;
    bool blank = false;  // whether the line before is blank
    for (std::size_t begin = 0; begin < box.size();) {
      const std::size_t end = std::min(box.find('\n', begin), box.size() - 1) + 1;
      const std::string line = box.substr(begin, end - begin);
      if (blank && line.starts_with("From ")) expected.push_back(begin);
      blank = line == "\n" || line == "\r\n";
      begin = end;
    }
    std::vector<std::size_t> found;
    for (std::size_t at = find_message(box); at != std::string::npos; at = find_message(box, at)) found.push_back(at);
    EXPECT_EQ(found, expected) << box;
  }
}

}  // namespace
}  // namespace refrain::corpus
