// For the tests of this folder: files in a folder of their own, and all documents that the reader finds in them, which
// must be the same however many threads and however small the pieces.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/files/decompress.h"
#include "corpus/source/tuning.h"
#include "refrain/error.h"
#include "world.h"

namespace refrain::corpus {

struct Document {
  DocId ordinal = 0;
  std::optional<std::string> id;  // none: its ordinal
  std::string text;
  bool bad = false;
  std::string file;
  std::vector<std::string> fields;  // "kind:value"
  friend bool operator==(const Document&, const Document&) = default;
};

struct Collected {
  std::vector<Document> documents;
  ReadReport report;

  std::vector<std::string> texts() const {
    std::vector<std::string> all;
    for (const Document& document : documents) all.push_back(document.bad ? "<bad>" : document.text);
    return all;
  }
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    for (const Document& document : documents) all.push_back(document.id.value_or("<ordinal>"));
    return all;
  }
  // "path:line: reason" of every example.
  std::vector<std::string> complaints() const {
    std::vector<std::string> all;
    for (const BadRecord& bad : report.examples)
      all.push_back(bad.path + ":" + std::to_string(bad.line) + ": " + bad.reason);
    return all;
  }
};

inline Collected collect(const SourceOptions& options, unsigned threads, const ReaderTuning& tuning,
                         std::uint64_t memory_bytes = std::uint64_t{512} << 20) {
  Context context;
  context.threads = threads;
  context.memory_bytes = memory_bytes;
  MemoryBudget budget(context);
  const std::uint64_t available = budget.available();
  Collected collected;
  const BatchWork work = [&](unsigned worker, Batch& batch) -> InOrder {
    EXPECT_LT(worker, threads);
    EXPECT_EQ(batch.bad.size(), batch.texts.size());
    EXPECT_EQ(batch.ids.ends.size(), batch.ids.ordinals ? 0 : batch.texts.size());
    std::vector<Document> documents;
    for (std::size_t i = 0; i < batch.texts.size(); ++i) {
      std::optional<std::string> id;
      if (!batch.ids.ordinals) id = std::string(batch.ids[i]);
      Document& made = documents.emplace_back();
      made.id = std::move(id);
      made.text = batch.texts[i];
      made.bad = batch.bad[i] != 0;
      made.file = batch.file;
      EXPECT_EQ(batch.fields.width, options.extra_fields.size());
      static constexpr const char* kKinds[] = {"missing", "null", "string", "number", "boolean", "json"};
      for (std::size_t field = 0; field < batch.fields.width; ++field)
        made.fields.push_back(std::string(kKinds[static_cast<int>(batch.fields.kind(i, field))]) + ":" +
                              std::string(batch.fields.value(i, field)));
    }
    const BatchIds moved = std::move(batch.ids);
    return [&collected, documents = std::move(documents)](DocId first) mutable {
      for (Document& document : documents) {
        document.ordinal = first++;
        collected.documents.push_back(std::move(document));
      }
    };
  };
  collected.report = read_documents(options, context, budget, work, tuning, {.all_may_be_bad = true});
  EXPECT_EQ(budget.available() + budget.kept(), available) << "memory that was not given back";
  return collected;
}

inline void expect_same(const Collected& a, const Collected& b) {
  EXPECT_EQ(a.documents, b.documents);
  EXPECT_EQ(a.complaints(), b.complaints());
  EXPECT_EQ(a.report.files, b.report.files);
  EXPECT_EQ(a.report.bytes, b.report.bytes);
  EXPECT_EQ(a.report.text_bytes, b.report.text_bytes);
  EXPECT_EQ(a.report.documents, b.report.documents);
  EXPECT_EQ(a.report.bad_records, b.report.bad_records);
  EXPECT_EQ(a.report.hidden_skipped, b.report.hidden_skipped);
  EXPECT_EQ(a.report.special_skipped, b.report.special_skipped);
  EXPECT_EQ(a.report.binary_skipped, b.report.binary_skipped);
}

// Reads with 1, 2, 3 and 8 threads and pieces from 16 bytes up; all must agree.
inline Collected collect(const SourceOptions& options) {
  const Collected usual = collect(options, 1, {});
  for (const unsigned threads : {1U, 2U, 3U, 8U})
    for (const std::size_t piece_bytes : {16U, 17U, 61U, 1000U, 0U}) {
      SCOPED_TRACE(testing::Message() << threads << " threads, pieces of " << piece_bytes << " bytes");
      expect_same(usual, collect(options, threads, {.piece_bytes = piece_bytes}));
    }
  expect_same(usual, collect(options, 8, {.piece_bytes = 16, .max_waiting = 1}));
  DocId ordinal = 0;
  for (const Document& document : usual.documents) EXPECT_EQ(document.ordinal, ordinal++);
  return usual;
}

// The same for options in braces.
inline Collected collect(const InputOptions& options) {
  return collect(SourceOptions(options));
}
inline Collected collect(const InputOptions& options, unsigned threads, const ReaderTuning& tuning) {
  return collect(SourceOptions(options), threads, tuning);
}

// The Error that reading ends with.
inline std::optional<Error> refusal(const InputOptions& options, unsigned threads = 3,
                                    const ReaderTuning& tuning = {}) {
  try {
    collect(options, threads, tuning);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// The first `size` bytes only, where that is given.
inline std::string gzip(std::string_view text, std::size_t size = std::string::npos) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed.substr(0, size);
}

inline std::string zstd(std::string_view text, std::size_t size = std::string::npos) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed.substr(0, size);
}

// The whole of a file of less than 8 MiB, unpacked.
inline std::string unpacked(const std::string& path, Packing* packing = nullptr) {
  Context context;
  MemoryBudget budget(context);
  ByteStream stream(budget);
  stream.open(path);
  if (packing != nullptr) *packing = stream.packing();
  std::string content(8 << 20, '\0');
  content.resize(stream.read(content.data(), content.size()));
  return content;
}

class Corpus : public testing::Test, public World {};

using Texts = std::vector<std::string>;

}  // namespace refrain::corpus
