#include "corpus/rewrite/records.h"

#include <fmt/format.h>

#include <limits>

#include "corpus/rewrite/rewrite.h"
#include "corpus/test_corpus.h"

namespace refrain::corpus {
namespace {
namespace fs = std::filesystem;

// Adds "n", the ordinal, and "note", the text, or null if the text is empty.
class Annotate : public Corpus {
 protected:
  std::string rewrite(const InputOptions& options, const Annotations& annotations, unsigned threads,
                      const ReaderTuning& tuning) {
    fs::remove_all(at("out"));
    fs::create_directory(at("out"));
    Context context;
    context.threads = threads;
    MemoryBudget budget(context);
    texts_.clear();
    const CutDocument cut = [&](DocId, std::string_view text) -> TextCuts {
      texts_ = text;
      return {.ranges = {&kFirstByte, text.starts_with('c') ? std::size_t{1} : 0},
              .offset = 0,
              .drop = text.starts_with('d')};
    };
    rewrite_documents(options, context, budget, at("out"), cut, tuning, annotations);
    return at("out/" + fs::path(options.paths.front()).filename().string());
  }

  Annotations usual() {
    return {{"n", "note"}, [this](DocId document, std::span<AddedValue> values) {
              ASSERT_EQ(values.size(), 2U);
              values[0] = static_cast<std::int64_t>(document);
              EXPECT_TRUE(std::holds_alternative<std::monostate>(values[1]));
              if (!texts_.empty()) values[1] = std::string_view(texts_);
            }};
  }

  // Expects the result for a file, plain and compressed, for any number of threads and size of pieces.
  void expect_annotated(const std::string& name, const std::string& content, const std::string& expected) {
    for (const std::string packing : {"", ".gz", ".zst"}) {
      const std::string bytes = packing.empty() ? content : packing == ".gz" ? gzip(content) : zstd(content);
      const InputOptions options{.paths = {write("in/" + name + packing, bytes)}};
      for (const unsigned threads : {1U, 3U})
        for (const std::size_t piece_bytes : {16U, 61U, 0U})
          EXPECT_EQ(unpacked(rewrite(options, usual(), threads, {.piece_bytes = piece_bytes})), expected);
    }
  }

  Error refusal_of(const std::string& name, const std::string& content, const Annotations& annotations,
                   Format format = Format::automatic) {
    const InputOptions options{.paths = {write(name, content)}, .format = format};
    try {
      rewrite(options, annotations, 3, {.piece_bytes = 32});
    } catch (const Error& error) {
      return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {Errc::io, ""};
  }

  static constexpr ByteRange kFirstByte{0, 1};
  std::string texts_;  // of the current document
};

TEST_F(Annotate, JsonRecordsBeforeTheirLastBrace) {
  expect_annotated("a.jsonl",
                   "\xef\xbb\xbf{\"text\":\"k\\n\\u00e9\"}\n"
                   "\n{\"text\":\"drop\",\"x\":{}}\r\n"
                   " { \"x\" : {\"n\":1} , \"text\":\"cut\" } \r\n"
                   "bad\n{\"text\":7}\n"
                   "{\"text\":\"\"}",
                   "\xef\xbb\xbf{\"text\":\"k\\n\\u00e9\",\"n\":0,\"note\":\"k\\n\xc3\xa9\"}\n"
                   "\n { \"x\" : {\"n\":1} , \"text\":\"ut\" ,\"n\":2,\"note\":\"cut\"} \r\n"
                   "bad\n{\"text\":7}\n"
                   "{\"text\":\"\",\"n\":5,\"note\":null}");
}

TEST_F(Annotate, RecordsOfAnArray) {
  expect_annotated(
      "a.json", "[\n {\"text\":\"drop\"},\n {\"text\":\"k\"\n },\n {\"text\":\"cut\",\"x\":{}}\n]\n",
      "[\n {\"text\":\"k\"\n ,\"n\":1,\"note\":\"k\"},\n {\"text\":\"ut\",\"x\":{},\"n\":2,\"note\":\"cut\"}\n]\n");
}

TEST_F(Annotate, TablesWithColumnsAtTheEnd) {
  expect_annotated("a.csv", "\xef\xbb\xbf\r\n\"b\",text\r\n1,\"k,\"\"\n\"\r\n2,drop\n3,cut\n\n4,\nbad\n5,k\r\r\n6,x",
                   "\xef\xbb\xbf\r\n\"b\",text,n,note\r\n1,\"k,\"\"\n\",0,\"k,\"\"\n\"\r\n3,ut,2,cut\n\n4,,3,\nbad\n"
                   "5,k\r,5,\"k\r\"\r\n6,x,6,x");
  expect_annotated("a.tsv", "text\nk,\nc", "text\tn\tnote\nk,\t0\tk,\n\"\"\t1\tc");
  expect_annotated("a.tsv", "text", "text\tn\tnote");
  expect_annotated("a.csv", "\n\n", "\n\n");
}

TEST_F(Annotate, AShortRowIsFilledUpAndALongOneRefused) {
  expect_annotated("a.csv", "text,b,c\nx\ny,1\nz,1,2\n", "text,b,c,n,note\nx,,,0,x\ny,1,,1,y\nz,1,2,2,z\n");
  const Error error = refusal_of("b.csv", "text,b\nx,1\ny,1,2\n", usual());
  EXPECT_EQ(error.code(), Errc::bad_input);
  EXPECT_EQ(error.what(),
            at("b.csv") + ": a row has 3 columns, but the header has 2; fix it, so that columns can be added");
}

TEST_F(Annotate, ReadingGivesTheFieldsThatWereAdded) {
  const InputOptions options{.paths = {write("a.jsonl", "{\"text\":\"a\\\"b\"}\n{\"text\":\"\"}\n"),
                                       write("b.csv", "text\n\"a\"\"b\n\"\n\"\"\n")}};
  rewrite(options, usual(), 2, {});
  const Collected found = collect({.paths = {at("out/a.jsonl"), at("out/b.csv")}, .extra_fields = {"n", "note"}});
  std::vector<Texts> fields;
  for (const Document& document : found.documents) fields.push_back(document.fields);
  EXPECT_EQ(
      fields,
      (std::vector<Texts>{
          {"number:0", "string:a\"b"}, {"number:1", "null:"}, {"string:2", "string:a\"b\n"}, {"string:3", "string:"}}));
}

TEST_F(Annotate, EveryKindOfValue) {
  const Annotations all{{"a", "b", "c", "d", "e", "f\"g"}, [](DocId, std::span<AddedValue> values) {
                          values[0] = true;
                          values[1] = std::int64_t{-7};
                          values[2] = 0.8125;
                          values[3] = std::numeric_limits<double>::quiet_NaN();
                          values[4] = std::string_view("\xff\"");
                          values[5] = false;
                        }};
  const std::string json = write("a.jsonl", "{\"text\":\"x\"}");
  EXPECT_EQ(unpacked(rewrite({.paths = {json}}, all, 1, {})),
            "{\"text\":\"x\",\"a\":true,\"b\":-7,\"c\":0.8125,\"d\":null,\"e\":\"\xef\xbf\xbd\\\"\",\"f\\\"g\":false}");
  const std::string table = write("a.csv", "text\nx\n");
  EXPECT_EQ(unpacked(rewrite({.paths = {table}}, all, 1, {})),
            "text,a,b,c,d,e,\"f\"\"g\"\nx,true,-7,0.8125,,\"\xff\"\"\",false\n");
}

TEST_F(Annotate, AFieldThatIsThereIsRefused) {
  const std::string remedy = ": field 'note' already exists; remove it first";
  for (const std::string value : {"1", "null", "\"\"", "{}"}) {
    const Error error = refusal_of(
        "a.jsonl", "{\"text\":\"x\",\"y\":{\"note\":1}}\n{\"n\\u006fte\":" + value + ",\"text\":\"y\"}\n", usual());
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    EXPECT_EQ(error.what(), at("a.jsonl") + remedy);
  }
  EXPECT_EQ(refusal_of("a.csv", "text,note\nx\n", usual()).what(), at("a.csv") + remedy);
  EXPECT_EQ(refusal_of("b.csv", "\"note\",text\n", usual()).what(), at("b.csv") + remedy);
}

TEST_F(Annotate, WhatHasNoFieldsIsRefused) {
  const Error whole = refusal_of("a", "x", usual());
  EXPECT_EQ(whole.code(), Errc::invalid_argument);
  EXPECT_EQ(whole.what(), at("a") + ": plain files have no field 'n'; use jsonl, csv, tsv or parquet");
  EXPECT_EQ(refusal_of("a", "x", usual(), Format::lines).code(), Errc::invalid_argument);
}

TEST_F(Annotate, NamesMustDifferAndHaveNoDots) {
  for (const Texts& names : {Texts{"a", "b", "a"}, Texts{"a.b"}})
    EXPECT_EQ(refusal_of("a.jsonl", "{}", {names, [](DocId, std::span<AddedValue>) {}}).code(), Errc::invalid_argument);
}

}  // namespace
}  // namespace refrain::corpus
