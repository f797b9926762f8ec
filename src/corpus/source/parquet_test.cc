// Tests Parquet through the module, with files written by Python. Whole runs are tested in tests/cli/parquet_test.py.
#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "corpus/files/parquet_module.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {

namespace {

namespace fs = std::filesystem;

class Parquet : public Corpus {
 protected:
  void SetUp() override {
#ifdef REFRAIN_PYTHON_DIR
    const std::string command =
        fmt::format("PYTHONPATH={} python3 {}/parquet_files.py {}", REFRAIN_PYTHON_DIR, REFRAIN_TESTS_DIR, at(""));
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
#else
    GTEST_SKIP() << "built without Arrow: tools/setup fetches it";
#endif
  }

  InputOptions input(const std::string& name, std::vector<std::string> fields = {}) const {
    InputOptions options;
    options.paths = {at(name)};
    options.extra_fields = std::move(fields);
    return options;
  }

  // Rewrites into a folder of its own with several numbers of threads, and expects equal bytes.
  std::string rewrite(const InputOptions& options, const CutDocument& cut, const Annotations& annotations = {}) {
    std::string first;
    for (const unsigned threads : {1U, 2U, 5U}) {
      const fs::path folder = at(fmt::format("out{}", ++folders_));
      fs::create_directory(folder);
      Context context;
      context.threads = threads;
      context.memory_bytes = std::uint64_t{512} << 20;
      MemoryBudget budget(context);
      report_ = rewrite_documents(options, context, budget, folder, cut, {.piece_bytes = threads == 1 ? 0U : 100U},
                                  annotations);
      EXPECT_EQ(budget.reserved(), budget.kept());
      const std::string path = (folder / fs::path(options.paths.front()).filename()).string();
      if (first.empty())
        first = path;
      else
        EXPECT_EQ(read_file(path), read_file(first));
    }
    return first;
  }

  RewriteReport report_;

 private:
  int folders_ = 0;
};

TEST_F(Parquet, IsTheSameForAnyThreadsAndPieces) {
  InputOptions options = input("groups.parquet", {"n"});
  options.id_field = "id";
  const Collected all = collect(options);
  ASSERT_EQ(all.documents.size(), 500U);
  EXPECT_EQ(all.documents[8].text, "text 8 word word word word word word word word ");
  EXPECT_EQ(all.documents[8].id, "id8");
  EXPECT_EQ(all.documents[8].fields, Texts{"number:8"});
  EXPECT_EQ(all.documents[11].text, "");
  EXPECT_FALSE(all.documents[11].bad);
  EXPECT_EQ(all.complaints(),
            (Texts{at("groups.parquet:8: field 'text' is null"), at("groups.parquet:500: field 'text' is null")}));
  EXPECT_EQ(all.report.files, 1U);
  EXPECT_EQ(all.report.bytes, fs::file_size(at("groups.parquet")));
}

TEST_F(Parquet, TellsWhatEveryKindOfFieldSays) {
  const std::vector<std::pair<std::string, Texts>> expected = {
      {"string", {"string:x", "null:", "string:"}},
      {"int", {"number:-1", "null:", "number:4611686018427387904"}},
      {"unsigned", {"number:18446744073709551615", "null:", "number:0"}},
      {"byte", {"number:255", "null:", "number:0"}},
      {"real", {"number:0.1", "null:", "null:"}},
      {"single", {"number:0.1", "null:", "number:3"}},
      {"half", {"number:-1.5", "null:", "number:5.960464477539063e-08"}},
      {"bool", {"boolean:true", "null:", "boolean:false"}},
      {"utc", {"string:2024-02-29T23:59:59.123456Z", "null:", "string:1969-12-31T23:59:59.999999Z"}},
      {"local", {"string:0001-01-01T00:00:00.000", "null:", "string:9999-12-31T00:00:00.000"}},
      {"nanos", {"string:1970-01-01T00:00:00.000000001", "null:", "string:1969-12-31T23:59:59.999999999"}},
      {"date", {"string:2000-02-29", "null:", "string:1900-03-01"}},
      {"time", {"string:01:02:03.004000", "null:", "string:00:00:00.000000"}},
      {"decimal", {"number:-12.30", "null:", "number:0.05"}},
      {"uuid", {"string:00000000-0000-0000-0000-0000000000ff", "null:", "string:00000000-0000-0000-0000-000000000000"}},
      {"meta.source", {"string:s", "null:", "null:"}},
      {"meta.deep.k", {"number:1", "null:", "null:"}},
      {"absent", {"missing:", "missing:", "missing:"}},
  };
  std::vector<std::string> names;
  for (const auto& [name, values] : expected) names.push_back(name);
  const Collected all = collect(input("fields.parquet", names));
  ASSERT_EQ(all.documents.size(), 3U);
  for (std::size_t field = 0; field < names.size(); ++field)
    for (std::size_t row = 0; row < 3; ++row)
      EXPECT_EQ(all.documents[row].fields[field], expected[field].second[row]) << names[field];
  EXPECT_EQ(collect(input("int96.parquet", {"at"})).documents[0].fields, Texts{"string:2024-01-02T03:04:05.000006000"});
}

TEST_F(Parquet, RefusesFieldsWithManyValuesARow) {
  for (const char* name : {"list", "meta", "meta.deep"}) {
    const auto error = refusal(input("fields.parquet", {name}));
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->code(), Errc::invalid_argument);
  }
}

TEST_F(Parquet, GivesLongDocumentsABatchOfTheirOwn) {
  EXPECT_EQ(collect(input("long.parquet")).texts(),
            (Texts{"short", std::string(300000, 'l'), "short again", std::string(5000000, 'm')}));
  InputOptions limited = input("long.parquet");
  limited.max_doc_bytes = 1000000;
  EXPECT_EQ(collect(limited).complaints(), Texts{at("long.parquet:4: longer than `max_doc_bytes` (1000000 bytes)")});
}

TEST_F(Parquet, RefusesAPageThatIsLargerThanTheMemory) {
  try {
    collect(input("long.parquet"), 1, {.piece_bytes = 1000}, std::uint64_t{64} << 20);
  } catch (const Error& error) {
    FAIL() << error.what();  // 5 MB fit
  }
  Context context;
  context.memory_bytes = std::uint64_t{64} << 20;
  MemoryBudget budget(context);
  open_parquet(at("long.parquet"), input("long.parquet"), budget);  // loads the library
  const Reservation most = budget.reserve(budget.available() - (std::uint64_t{4} << 20), "a test");
  try {
    const auto file = open_parquet(at("long.parquet"), input("long.parquet"), budget);
    const auto rows = file->read(0);
    ParquetRow row;
    while (rows->next(row)) {
    }
    FAIL() << "a page of 5 MB in 4 MB";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::over_budget);
    EXPECT_NE(std::string(error.what()).find("a page of"), std::string::npos) << error.what();
  }
}

TEST_F(Parquet, LeavesOutRowsAndWholeRowGroups) {
  const InputOptions options = input("groups.parquet", {});
  const auto dropped = [](DocId document) { return (document >= 37 && document < 111) || document % 5 == 0; };
  const std::string path = rewrite(options, [&](DocId document, std::string_view) {
    return TextCuts{.ranges = {}, .offset = 0, .drop = dropped(document)};
  });
  InputOptions before = options;
  before.id_field = "id";
  InputOptions after = before;
  after.paths = {path};
  Texts expected;
  for (const Document& document : collect(before, 1, {}).documents)
    if (document.bad || !dropped(document.ordinal)) expected.push_back(document.bad ? "<bad>" : document.text);
  EXPECT_EQ(collect(after).texts(), expected);
  EXPECT_EQ(report_.documents, 498U);
}

TEST_F(Parquet, CopiesAFileInWhichNothingChanges) {
  InputOptions options = input("nested.parquet");
  options.text_field = "doc.text";
  const std::string path = rewrite(options, [](DocId, std::string_view) { return TextCuts{}; });
  EXPECT_EQ(read_file(path), read_file(at("nested.parquet")));
}

TEST_F(Parquet, CutsNestedTextsAndKeepsEmptyOnes) {
  InputOptions options = input("nested.parquet");
  options.text_field = "doc.text";
  const std::vector<ByteRange> ranges = {{1000, 1005}};
  const std::vector<ByteRange> all = {{1000, 1016}};
  const std::string path = rewrite(options, [&](DocId document, std::string_view text) {
    if (document < 100) return TextCuts{};
    return TextCuts{.ranges = document == 111 && text.size() == 16 ? std::span(all) : std::span(ranges),
                    .offset = 1000};
  });
  InputOptions made = options;
  made.paths = {path};
  Texts expected;
  for (int i = 0; i < 200; ++i) {
    const std::string text = fmt::format("text {} of many", i);
    expected.push_back(i % 17 == 0 ? "<bad>" : i == 111 ? "" : i < 100 ? text : text.substr(5));
  }
  EXPECT_EQ(collect(made).texts(), expected);
  EXPECT_EQ(report_.emptied, 1U);
}

TEST_F(Parquet, AddsColumnsOfTheirTypes) {
  Annotations annotations;
  annotations.names = {"keep", "size", "share", "match"};
  annotations.types = {AddedType::boolean, AddedType::integer, AddedType::real, AddedType::text};
  std::string match;
  annotations.values = [&](DocId document, std::span<AddedValue> values) {
    if (document % 3 == 0) return;
    match = fmt::format("m{}", document);
    values[0] = document % 2 == 0;
    values[1] = static_cast<std::int64_t>(document) - 5;
    values[2] = document % 3 == 1 ? AddedValue(0.25) : AddedValue(std::int64_t{2});
    values[3] = std::string_view(match);
  };
  const std::string path = rewrite(
      input("groups.parquet"),
      [](DocId document, std::string_view) { return TextCuts{.ranges = {}, .offset = 0, .drop = document == 1}; },
      annotations);
  InputOptions made = input("groups.parquet", {"keep", "size", "share", "match", "n"});
  made.paths = {path};
  const Collected all = collect(made);
  ASSERT_EQ(all.documents.size(), 499U);
  EXPECT_EQ(all.documents[0].fields, (Texts{"null:", "null:", "null:", "null:", "number:0"}));
  EXPECT_EQ(all.documents[1].fields, (Texts{"boolean:true", "number:-3", "number:2", "string:m2", "number:2"}));
  EXPECT_EQ(all.documents[3].fields, (Texts{"boolean:true", "number:-1", "number:0.25", "string:m4", "number:4"}));
  EXPECT_TRUE(all.documents[6].bad);
}

TEST_F(Parquet, RefusesToAddAColumnThatIsThere) {
  Annotations annotations;
  annotations.names = {"n"};
  annotations.values = [](DocId, std::span<AddedValue>) {};
  EXPECT_THROW(rewrite(
                   input("groups.parquet"), [](DocId, std::string_view) { return TextCuts{}; }, annotations),
               Error);
}

}  // namespace

}  // namespace refrain::corpus
