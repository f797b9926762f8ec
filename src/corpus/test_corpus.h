// Helpers for the tests of this folder. They write files into a temporary folder and collect all documents that the
// reader finds there. The documents must be the same for any number of threads and any size of pieces.
#pragma once

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/files/decompress.h"
#include "corpus/source/reader.h"
#include "gzip.h"
#include "refrain/error.h"
#include "refrain/input.h"
#include "world.h"

namespace refrain::corpus {

struct Document {
  DocId ordinal = 0;
  std::optional<std::string> id;  // none: the id is the ordinal
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
  std::vector<std::string> skipped;  // "path: kind: reason" of every skipped file, sorted
  // "path:line: reason" of every example of a bad record.
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
  const auto skip = [&](const SkippedFile& file) {
    collected.skipped.push_back(file.path + ": " + file.kind + ": " + file.reason);
  };
  collected.report = read_documents(options, context, budget, work, tuning, {.all_may_be_bad = true, .skipped = skip});
  std::sort(collected.skipped.begin(), collected.skipped.end());
  EXPECT_EQ(collected.report.skipped_files(), collected.skipped.size());
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
  EXPECT_EQ(a.skipped, b.skipped);
  EXPECT_EQ(a.report.hidden_skipped, b.report.hidden_skipped);
  EXPECT_EQ(a.report.special_skipped, b.report.special_skipped);
  EXPECT_EQ(a.report.binary_skipped, b.report.binary_skipped);
}

// Reads with 1, 2, 3 and 8 threads, with pieces from 16 bytes up, and from a listing, and expects the same result from
// all.
inline Collected collect(const SourceOptions& options) {
  const Collected usual = collect(options, 1, {});
  static constexpr std::pair<unsigned, std::size_t> kWays[] = {{1, 16}, {1, 61}, {2, 17}, {2, 0},   {3, 61},
                                                               {3, 16}, {8, 17}, {8, 0},  {8, 1000}};
  for (const auto& [threads, piece_bytes] : kWays) {
    SCOPED_TRACE(testing::Message() << threads << " threads, pieces of " << piece_bytes << " bytes");
    expect_same(usual, collect(options, threads, {.piece_bytes = piece_bytes}));
  }
  expect_same(usual, collect(options, 8, {.piece_bytes = 16, .max_waiting = 1}));
  SourceOptions listed = options;
  listed.listing = list_input(options, {.memory_bytes = kMinMemoryBytes, .threads = 3});
  EXPECT_NE(listed.listing, nullptr);
  expect_same(usual, collect(listed, 3, {}));
  DocId ordinal = 0;
  for (const Document& document : usual.documents) EXPECT_EQ(document.ordinal, ordinal++);
  return usual;
}

// Overloads that accept options in braces.
inline Collected collect(const InputOptions& options) {
  return collect(SourceOptions(options));
}
inline Collected collect(const InputOptions& options, unsigned threads, const ReaderTuning& tuning) {
  return collect(SourceOptions(options), threads, tuning);
}

// The Error that ends the reading, if any.
inline std::optional<Error> refusal(const InputOptions& options, unsigned threads = 3,
                                    const ReaderTuning& tuning = {}) {
  try {
    collect(options, threads, tuning);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

// Compresses `text`; returns only the first `size` bytes if `size` is given.
inline std::string zstd(std::string_view text, std::size_t size = std::string::npos) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed.substr(0, size);
}

// The unpacked content of a file of less than 8 MiB.
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
