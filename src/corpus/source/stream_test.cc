#include "corpus/source/reader.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// The rows that a reading reported, in order, and its report.
struct ReadResult {
  std::vector<std::string> rows;  // ordinal, id, text, fields
  ReadReport report;
};

ReadResult read(const std::shared_ptr<DocumentStream>& stream, unsigned threads = 2, std::size_t piece_bytes = 16,
                InputOptions options = {}) {
  options.documents = stream;
  const Context context{.memory_bytes = kMinMemoryBytes, .threads = threads};
  MemoryBudget budget(context);
  ReadResult result;
  result.report = read_documents(
      options, context, budget,
      [&](unsigned, Batch& batch) -> InOrder {
        auto rows = std::make_shared<std::vector<std::string>>();
        for (std::size_t i = 0; i < batch.texts.size(); ++i) {
          std::string row = batch.ids.ordinals ? std::string("#") : std::string(batch.ids[i]);
          row += batch.bad[i] != 0 ? "!" : ":";
          row += batch.texts[i];
          for (std::size_t field = 0; field < batch.fields.width; ++field)
            row += batch.fields.kind(i, field) == FieldKind::string ? "|" + std::string(batch.fields.value(i, field))
                                                                    : "|-";
          rows->push_back(std::move(row));
        }
        return [&result, rows](DocId first) {
          for (std::size_t i = 0; i < rows->size(); ++i) result.rows.push_back(std::to_string(first + i) + (*rows)[i]);
        };
      },
      {.piece_bytes = piece_bytes});
  return result;
}

// Batches of two documents with ids and a field. Cannot be rewound.
class Once final : public DocumentStream {
 public:
  explicit Once(std::size_t batches) : left_(batches) {}
  bool next(DocumentBatch& batch) override {
    if (left_-- == 0) return false;
    static constexpr std::int32_t kOffsets[] = {0, 3, 5};
    batch = {.text = TextColumn("onetw", kOffsets, 2), .ids = TextColumn("a-1b-", kOffsets, 2)};
    batch.fields.push_back(TextColumn("x-yzz", kOffsets, 2));
    return true;
  }
  std::vector<std::string> field_names() const override { return {"rank"}; }

 private:
  std::size_t left_;
};

TEST(Stream, TellsEveryTextInOrderForAnyNumberOfThreadsAndAnyPiece) {
  std::mt19937 random(7);
  std::vector<std::string> texts;
  std::vector<std::string> expected;
  for (int i = 0; i < 3000; ++i) {
    texts.emplace_back(random() % 40, static_cast<char>('a' + random() % 26));
    expected.push_back(std::to_string(i) + "#:" + texts.back());
  }
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    for (const std::size_t piece : {16UL, 100UL, 1UL << 20U}) {
      const ReadResult result = read(documents_of(std::span<const std::string>(texts)), threads, piece);
      ASSERT_EQ(result.rows, expected) << threads << " threads, pieces of " << piece;
      EXPECT_EQ(result.report.documents, texts.size());
    }
}

TEST(Stream, ReadsColumnsOfEitherWidthAndSlicesOfThem) {
  const std::string bytes = "alphabetagamma";
  const std::vector<std::int64_t> wide = {0, 5, 9, 14};
  const std::vector<std::int32_t> narrow = {0, 5, 9, 14};
  const std::vector<std::string> all = {"0#:alpha", "1#:beta", "2#:gamma"};
  EXPECT_EQ(read(documents_of(TextColumn(bytes.data(), wide.data(), 3))).rows, all);
  EXPECT_EQ(read(documents_of(TextColumn(bytes.data(), narrow.data(), 3))).rows, all);
  const std::vector<std::string> last = {"0#:beta", "1#:gamma"};
  EXPECT_EQ(read(documents_of(TextColumn(bytes.data(), wide.data(), 3).slice(1, 2))).rows, last);
  EXPECT_EQ(read(documents_of(TextColumn(bytes.data(), narrow.data(), 3).slice(1, 2))).rows, last);
  EXPECT_TRUE(read(documents_of(TextColumn())).rows.empty());
}

TEST(Stream, NullTextsKeepTheirPlaceAndAreBadRecords) {
  const std::string bytes = "alphabetagamma";
  const std::vector<std::int64_t> offsets = {0, 5, 9, 14};
  const std::uint8_t validity = 0b101;
  const ReadResult result = read(documents_of(TextColumn(bytes.data(), offsets.data(), 3, &validity)));
  EXPECT_EQ(result.rows, (std::vector<std::string>{"0#:alpha", "1#!", "2#:gamma"}));
  EXPECT_EQ(result.report.bad_records, 1U);
  ASSERT_EQ(result.report.examples.size(), 1U);
  EXPECT_EQ(result.report.examples[0].line, 2U);
  // A slice uses the validity bits of its own values.
  EXPECT_EQ(read(documents_of(TextColumn(bytes.data(), offsets.data(), 3, &validity).slice(1, 2))).rows,
            (std::vector<std::string>{"0#!", "1#:gamma"}));
}

TEST(Stream, TextsThatAreTooLongAreBadRecords) {
  const std::vector<std::string> texts = {"short", "much too long", "fine"};
  InputOptions options;
  options.max_doc_bytes = 6;
  const ReadResult result = read(documents_of(std::span<const std::string>(texts)), 2, 1 << 20, options);
  EXPECT_EQ(result.rows, (std::vector<std::string>{"0#:short", "1#!", "2#:fine"}));
}

TEST(Stream, StrictRefusesTheFirstNull) {
  const std::vector<std::int64_t> offsets = {0, 0};
  const std::uint8_t validity = 0;
  InputOptions options;
  options.strict = true;
  EXPECT_THROW(read(documents_of(TextColumn("", offsets.data(), 1, &validity)), 2, 16, options), Error);
}

TEST(Stream, HasIdsAndFields) {
  InputOptions options;
  options.extra_fields = {"rank"};
  const ReadResult result = read(std::make_shared<Once>(2), 3, 4, options);
  EXPECT_EQ(result.rows, (std::vector<std::string>{"0a-1:one|x-y", "1b-:tw|zz", "2a-1:one|x-y", "3b-:tw|zz"}));
  options.extra_fields = {"colour"};
  EXPECT_THROW(read(std::make_shared<Once>(2), 1, 4, options), Error);
}

TEST(Stream, ACopyCanBeReadAgainAndAgain) {
  const Context context;
  TempSpace temp(context);
  Once once(1000);
  const std::shared_ptr<DocumentStream> copy = spooled(once, context, temp);
  InputOptions options;
  options.extra_fields = {"rank"};
  const ReadResult first = read(copy, 2, 64, options);
  EXPECT_EQ(first.rows.size(), 2000U);
  EXPECT_EQ(first.rows[1999], "1999b-:tw|zz");
  EXPECT_EQ(read(copy, 3, 1000, options).rows, first.rows);
}

TEST(Stream, WhatAClosureThrowsEndsTheReading) {
  const std::vector<std::string> texts(10000, "text");
  InputOptions options;
  options.documents = documents_of(std::span<const std::string>(texts));
  const Context context{.memory_bytes = kMinMemoryBytes, .threads = 4};
  MemoryBudget budget(context);
  const auto work = [](unsigned, Batch&) -> InOrder {
    return [](DocId first) {
      if (first > 100) throw Error(Errc::io, "enough");
    };
  };
  EXPECT_THROW(read_documents(options, context, budget, work, {.piece_bytes = 64}), Error);
}

}  // namespace

}  // namespace refrain::corpus
