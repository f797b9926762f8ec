#include "corpus/formats/csv.h"

#include <random>

#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {

TEST_F(Corpus, CsvTakesTheColumnsThatTheHeaderNames) {
  const std::string path = write("a.csv", "id,text,x\n1,one,a\n2,two,b\n");
  const Collected found = collect({.paths = {path}, .id_field = "id"});
  EXPECT_EQ(found.texts(), (Texts{"one", "two"}));
  EXPECT_EQ(found.ids(), (Texts{"1", "2"}));
  EXPECT_EQ(found.report.documents, 2U);
  EXPECT_EQ(collect({.paths = {path}, .text_field = "x", .id_field = "x"}).ids(), (Texts{"a", "b"}));
  EXPECT_EQ(collect({.paths = {path}, .text_field = "x"}).ids(), (Texts{"<ordinal>", "<ordinal>"}));
}

TEST_F(Corpus, CsvQuotesFollowTheRfc) {
  const std::string path = write("a.csv",
                                 "\xef\xbb\xbf\r\n\"text\",\"i\"\"d\"\r\n"
                                 "\"a, \"\"b\"\"\nc\r\nd\",1\r\n"
                                 "\r\n\n"
                                 "plain \"quote\" \"\" here,2\r\n"
                                 "\"closed\" and more,3\n"
                                 "\"ends with return\r\",4\n"
                                 ",\"5\"\n"
                                 "\"\",6\r\n"
                                 "last,\"7\"");
  const Collected found = collect({.paths = {path}, .id_field = "i\"d"});
  EXPECT_EQ(found.texts(), (Texts{"a, \"b\"\nc\r\nd", "plain \"quote\" \"\" here", "closed and more",
                                  "ends with return\r", "", "", "last"}));
  EXPECT_EQ(found.ids(), (Texts{"1", "2", "3", "4", "5", "6", "7"}));
}

TEST_F(Corpus, TsvIsTheSameWithTabs) {
  const std::string path = write("a.tsv", "text\tid\na, b\t1\n\"c\td\"\t2\n");
  EXPECT_EQ(collect({.paths = {path}, .id_field = "id"}).texts(), (Texts{"a, b", "c\td"}));
}

TEST_F(Corpus, CsvRecordsWithTooFewColumnsOrAnOpenQuoteAreBad) {
  const std::string path = write("a.csv", "id,text\n1,one\n\n2\n\"3\n3\",three\n4,\"open\nand so on\n");
  const Collected found = collect({.paths = {path}, .id_field = "id"});
  EXPECT_EQ(found.texts(), (Texts{"one", "<bad>", "three", "<bad>"}));
  EXPECT_EQ(found.complaints(), (Texts{path + ":4: 1 columns, but the header has 2", path + ":7: unclosed quote"}));
  EXPECT_EQ(found.report.documents, 2U);
  EXPECT_EQ(found.report.bad_records, 2U);
}

TEST_F(Corpus, CsvWithoutTheColumnIsRefusedAndNamesThoseThereAre) {
  const std::string path = write("a.csv", "id,body\n1,one\n");
  const auto error = refusal({.paths = {path}});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Errc::bad_input);
  EXPECT_EQ(std::string(error->what()), path + ": no column 'text'; the header has 'id', 'body'");
  EXPECT_TRUE(refusal({.paths = {path}, .text_field = "body", .id_field = "key"}));
  EXPECT_EQ(refusal({.paths = {write("b.csv", "id,\"body\n1,one\n")}})->code(), Errc::bad_input);
}

TEST_F(Corpus, CsvWithoutTheColumnInAFolderIsAFileThatIsNotRead) {
  const std::string path = write("in/a.csv", "id,body\n1,one\n");
  write("in/b.csv", "id,text\n1,two\n");
  write("in/c.txt", "three");
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const Collected found = collect({.paths = {folder.string()}});
  EXPECT_EQ(found.texts(), (Texts{"two", "three"}));
  EXPECT_EQ(found.report.bad_records, 0U);
  EXPECT_EQ(found.report.files, 2U);
  EXPECT_EQ(found.skipped, (Texts{path + ": unusable file: no column 'text'; the header has 'id', 'body'"}));
  const auto strict = refusal({.paths = {folder.string()}, .strict = true});
  ASSERT_TRUE(strict);
  EXPECT_TRUE(std::string(strict->what()).starts_with(path + ": no column 'text'")) << strict->what();
}

TEST_F(Corpus, CsvWithoutTheColumnThatIsTheOnlyInputIsRefused) {
  const std::string path = write("in/a.csv", "id,body\n1,one\n");
  write("in/.hidden", "x");
  const Context context{.memory_bytes = std::uint64_t{256} << 20U, .threads = 2};
  MemoryBudget budget(context);
  const SourceOptions options(InputOptions{.paths = {std::filesystem::path(path).parent_path().string()}});
  try {
    read_documents(options, context, budget, [](unsigned, Batch&) -> InOrder { return nullptr; });
    FAIL() << "nothing was read, and no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_input);
    EXPECT_TRUE(std::string(error.what()).ends_with(path + ": no column 'text'; the header has 'id', 'body'"))
        << error.what();
  }
}

TEST_F(Corpus, CsvOfNothingButAHeaderOrEmptyLinesHasNoRecords) {
  EXPECT_TRUE(collect({.paths = {write("a.csv", "text\n")}}).documents.empty());
  EXPECT_TRUE(collect({.paths = {write("b.csv", "")}}).documents.empty());
  EXPECT_TRUE(collect({.paths = {write("c.csv", "\n\r\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\r")}}).documents.empty());
}

TEST_F(Corpus, CsvRecordsThatAreTooLongArePassedOverToTheirTrueEnd) {
  const std::uint64_t raw = (std::uint64_t{64} << 10) + 2 * 10;
  const std::string other(raw, ',');
  const std::string lines = "\"" + std::string(raw / 2, '\n') + std::string(raw, 'x') + "\"";
  const std::string path = write("a.csv", "text\nshort\n" + lines + "\n12345678901\n1234567890\n" + other +
                                              "\nlast\n1" + std::string(raw - 1, ',') + "\n");
  const Collected found = collect({.paths = {path}, .max_doc_bytes = 10});
  EXPECT_EQ(found.texts(), (Texts{"short", "<bad>", "<bad>", "1234567890", "", "last", "1"}));
  EXPECT_EQ(found.complaints(),
            (Texts{path + ":3: longer than `max_doc_bytes` (10 bytes)",
                   path + ":" + std::to_string(4 + raw / 2) + ": longer than `max_doc_bytes` (10 bytes)"}));
}

// The slow, obvious parser of a table: one character at a time.
std::vector<std::vector<std::string>> parse_slowly(const std::string& table, bool& open) {
  std::vector<std::vector<std::string>> records;
  std::size_t at = 0;
  open = false;
  while (at < table.size()) {
    if (table[at] == '\n' || table.substr(at) == "\r" || table.compare(at, 2, "\r\n") == 0) {
      at += table[at] == '\n' ? 1 : 2;
      continue;
    }
    std::vector<std::string> record;
    while (true) {
      std::string field;
      bool bare = false;  // a delimiter or line break outside of quotes ends the field
      if (at < table.size() && table[at] == '"') {
        for (++at;;) {
          if (at >= table.size()) {
            open = true;
            return records;
          }
          if (table[at] == '"') {
            ++at;
            if (at >= table.size() || table[at] != '"') break;
          }
          field += table[at++];
        }
      }
      while (at < table.size() && table[at] != ',' && table[at] != '\n') {
        field += table[at++];
        bare = true;
      }
      const bool last = at >= table.size() || table[at] == '\n';
      if (last && bare && field.back() == '\r') field.pop_back();
      record.push_back(field);
      ++at;
      if (last) break;
    }
    records.push_back(record);
  }
  return records;
}

TEST_F(Corpus, CsvAgreesWithTheSlowParserOnRandomTables) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    std::string table = "text,b\n";
    const std::size_t size = random() % 400;
    while (table.size() < size) table += "\"\",\n\rab\"\n,x"[random() % 11];
    bool open = false;
    const auto records = parse_slowly(table, open);
    const Collected found = collect({.paths = {write("a.csv", table)}});
    ASSERT_EQ(found.documents.size(), records.size() - 1 + (open ? 1 : 0)) << table;
    for (std::size_t i = 1; i < records.size(); ++i) EXPECT_EQ(found.documents[i - 1].text, records[i][0]) << table;
    EXPECT_TRUE(!open || found.documents.back().bad);
  }
}

TEST(CsvScanner, FindsTheSameEndsHoweverTheBytesAreCut) {
  std::mt19937 random(2);
  for (int round = 0; round < 2000; ++round) {
    std::string table;
    const std::size_t size = random() % 60;
    while (table.size() < size) table += "\"\",\n\rab\"\n,x"[random() % 11];
    CsvScanner whole(0, ',');
    const std::size_t last = whole.last_end(table);
    CsvScanner cut(0, ',');
    CsvScanner stepping(0, ',');
    std::size_t found = std::string::npos;
    for (std::size_t begin = 0; begin < table.size();) {
      const std::size_t bytes = 1 + random() % 7;
      const std::size_t end = cut.last_end(std::string_view(table).substr(begin, bytes));
      if (end != std::string::npos) found = begin + end;
      begin += bytes;
    }
    EXPECT_EQ(found, last) << table;
    std::size_t at = 0;
    std::size_t held = 0;
    while (true) {
      const std::size_t end = stepping.first_end(std::string_view(table).substr(at), held);
      if (end == std::string::npos) break;
      at += end;
    }
    EXPECT_EQ(at == 0 ? std::string::npos : at, last) << table;
  }
}

TEST_F(Corpus, CsvWithAVeryLongHeaderIsRefusedWithAnyPieces) {
  const std::string header = "\n\ntext," + std::string(std::size_t{80} << 10, 'x');
  const std::string path = write("a.csv.gz", gzip(header + "\na,b\n"));
  for (const std::size_t piece_bytes : {std::size_t{100}, std::size_t{0}}) {
    const auto error = refusal({.paths = {path}, .max_doc_bytes = 4}, 3, {.piece_bytes = piece_bytes});
    ASSERT_TRUE(error);
    EXPECT_EQ(std::string(error->what()),
              path + ": the header row is longer than `max_doc_bytes` (4 bytes); is this a table?");
  }
}

}  // namespace
}  // namespace refrain::corpus
