// The data that the rewriter keeps of a batch that waits for its turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/threads.h"
#include "corpus/files/decompress.h"
#include "corpus/files/walk.h"
#include "corpus/formats/batch.h"
#include "corpus/formats/edits.h"
#include "corpus/rewrite/parquet.h"
#include "corpus/rewrite/placed_file.h"

namespace refrain::corpus {

// A record of such a batch.
struct Record {
  std::uint64_t record_begin = 0;  // in the raw bytes
  std::uint64_t record_end = 0;
  std::uint64_t begin = 0;  // of the stored form of its text, in the raw bytes
  std::uint64_t end = 0;
  const char* text = nullptr;  // in the raw bytes or, if it is stored in another form there, elsewhere
  std::uint64_t text_bytes = kBad;
  Digest digest;  // of the text

  static constexpr std::uint64_t kBad = ~std::uint64_t{0};
};

struct WholeFile {
  Input input;
  Packing packing;
  bool converted = false;
};

// The memory of a batch that waits for its turn, in one allocation that is reused. If the batch does not have to
// wait, only the records are in it and the bytes are not copied, so that a long document is not in memory twice.
struct HeldMemory {
  explicit HeldMemory(MemoryBudget& budget) : bytes(budget, "the documents that wait to be written") {}
  bool may_be_kept() const { return bytes.size() <= kMostKeptBytes; }
  static constexpr std::size_t kMostKeptBytes = std::size_t{8} << 20;

  Array<char> bytes;
};

// A row group that is written after the turn of its last rows.
struct HeldRows {
  std::shared_ptr<ParquetOutput> to;
  std::size_t number = 0;
  std::unique_ptr<ParquetGroup> group;
  bool last = false;

  // Writes the row group. Later calls do nothing.
  void write() {
    if (group) to->write(number, std::move(group), last);
  }
};

struct Held {
  std::shared_ptr<HeldMemory> memory;  // the records, and copies of the raw bytes and of texts that differ from them
  std::span<const Record> records;
  const char* bytes = nullptr;
  std::size_t raw_bytes = 0;

  std::vector<WholeFile> files;  // one per record
  std::vector<WholeFile> file;   // of records: one, or none if it could not be opened
  bool first = false;
  bool last = false;
  bool last_of_group = false;
  bool part_of_record = false;
  std::size_t conflicting_record = kNone;  // the first record that already has a field to be added
  std::size_t conflicting_field = 0;

  // The results of its turn, to be written afterwards.
  std::shared_ptr<PlacedFile> to;
  std::uint64_t place = 0;
  WrittenParts parts;
  HeldRows rows;
  bool at_once = false;  // it is written before the batch becomes invalid

  static constexpr std::size_t kNone = ~std::size_t{0};

  std::string_view raw() const { return {bytes, raw_bytes}; }
  DigestedText text_of(const Record& record) const { return {{record.text, record.text_bytes}, record.digest}; }
};

// `batch` must have raw bytes.
std::shared_ptr<Held> hold(const Batch& batch, Pool<HeldMemory>& pool, MemoryBudget& budget);

}  // namespace refrain::corpus
