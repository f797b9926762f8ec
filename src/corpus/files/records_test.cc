#include "corpus/files/records.h"

#include <random>

#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

InputOptions lines_of(const std::string& path) {
  return {.paths = {path}, .format = Format::lines};
}

TEST_F(Corpus, EveryLineIsADocumentAlsoAnEmptyOne) {
  const Collected found = collect(lines_of(write("a", "one\n\ntwo\r\n\r\n \nlast\r")));
  EXPECT_EQ(found.texts(), (Texts{"one", "", "two", "", " ", "last"}));
  EXPECT_EQ(found.report.text_bytes, 11U);
  EXPECT_EQ(found.report.bytes, 19U);
  EXPECT_EQ(found.report.files, 1U);
  EXPECT_EQ(found.ids().front(), "<ordinal>");
  EXPECT_EQ(collect(lines_of(write("b", "one\n"))).texts(), (Texts{"one"}));
  EXPECT_EQ(collect(lines_of(write("c", "\n"))).texts(), (Texts{""}));
  EXPECT_TRUE(collect(lines_of(write("d", ""))).documents.empty());
}

TEST_F(Corpus, AByteOrderMarkIsNoPartOfTheFirstRecord) {
  EXPECT_EQ(collect(lines_of(write("a", "\xef\xbb\xbfone\n\xef\xbb\xbftwo"))).texts(),
            (Texts{"one", "\xef\xbb\xbftwo"}));
  EXPECT_TRUE(collect(lines_of(write("b", "\xef\xbb\xbf"))).documents.empty());
  EXPECT_EQ(collect({.paths = {write("c.jsonl", "\xef\xbb\xbf{\"text\":\"x\"}")}}).texts(), (Texts{"x"}));
  EXPECT_EQ(collect({.paths = {write("d.txt", "\xef\xbb\xbfone")}}).texts(), (Texts{"\xef\xbb\xbfone"}));
}

TEST_F(Corpus, LinesSplitAsTheyWouldBySlowSplitting) {
  std::mt19937 random(4);
  for (int round = 0; round < 30; ++round) {
    std::string content;
    Texts expected;
    const std::size_t lines = random() % 40;
    for (std::size_t i = 0; i < lines; ++i) {
      const std::size_t size = random() % 3 == 0 ? 0 : random() % (round % 3 == 0 ? 200 : 20);
      expected.emplace_back(size, static_cast<char>('a' + i % 26));
      content += expected.back() + (random() % 4 == 0 ? "\r\n" : "\n");
    }
    EXPECT_EQ(collect(lines_of(write("a", content))).texts(), expected);
  }
}

TEST_F(Corpus, ALineAtTheLimitIsReadAndOnePastItIsNot) {
  std::string content;
  for (const std::size_t size : {9, 10, 11, 100, 1000, 5})
    content += std::string(size, 'x') + "\n" + std::string(size, 'y') + "\r\n";
  InputOptions options = lines_of(write("a", content));
  options.max_doc_bytes = 10;
  const Collected found = collect(options);
  EXPECT_EQ(found.report.bad_records, 6U);
  EXPECT_EQ(found.documents[3].text, std::string(10, 'y'));
  EXPECT_TRUE(found.documents[4].bad);
  EXPECT_EQ(found.documents[11].text, "yyyyy");
  EXPECT_EQ(found.report.examples[5].line, 10U);
  options.paths = {write("b", std::string(5000, 'x'))};
  EXPECT_EQ(collect(options).texts(), (Texts{"<bad>"}));
}

TEST_F(Corpus, AMillionEmptyLinesAreAMillionDocuments) {
  Context context;
  context.threads = 2;
  context.memory_bytes = std::uint64_t{64} << 20;
  MemoryBudget budget(context);
  DocId next = 0;
  const ReadReport report = read_documents(lines_of(write("a", std::string(1 << 20, '\n'))), context, budget,
                                           [&](unsigned, Batch& batch) -> InOrder {
                                             return [&next, size = batch.texts.size()](DocId first) {
                                               EXPECT_EQ(first, next);
                                               next += size;
                                             };
                                           });
  EXPECT_EQ(report.documents, DocId{1} << 20);
  EXPECT_EQ(next, DocId{1} << 20);
}

TEST_F(Corpus, AVeryLongLineCostsNoMemoryPastTheLimit) {
  const std::string path = at("a");
  {
    OutputFile file(path);
    file.write("before\n");
    for (int i = 0; i < 300; ++i) file.write(std::string(1 << 20, 'x'));
    file.write("\nafter\n");
    file.close();
  }
  InputOptions options = lines_of(path);
  options.max_doc_bytes = 8 << 20;
  EXPECT_EQ(collect(options, 2, {}, kMinMemoryBytes).texts(), (Texts{"before", "<bad>", "after"}));
  options.max_doc_bytes = std::uint64_t{1} << 40;
  try {
    collect(options, 2, {}, kMinMemoryBytes);
    ADD_FAILURE() << "a line of 300 MiB fits in 64 MiB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget) << error.what();
  }
}

TEST_F(Corpus, LongLinesInManyThreadsTakeTurns) {
  std::string content;
  Texts expected;
  for (int i = 0; i < 12; ++i) {
    expected.emplace_back(6 << 20, static_cast<char>('a' + i));
    content += expected.back() + "\nshort\n";
    expected.emplace_back("short");
  }
  // Twelve of these records at once would take 144 MiB.
  EXPECT_EQ(collect(lines_of(write("a", content)), 8, {}, std::uint64_t{64} << 20).texts(), expected);
}

}  // namespace
}  // namespace refrain::corpus
