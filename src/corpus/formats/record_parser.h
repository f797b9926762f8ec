// The two parts of a record format: a scanner, which finds where records end, and a parser, which reads them.
//
// Only one worker at a time can scan a file, so scanners look at as little as possible: for lines, at the last line
// break of a piece; for CSV, also at the quotes. Several workers parse pieces of a file in parallel.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "corpus/formats/batch_builder.h"
#include "corpus/formats/piece.h"
#include "refrain/input.h"

namespace refrain::corpus {

// The columns that the header row of a table names.
struct CsvColumns {
  std::size_t count = 0;  // 0: no header yet
  std::size_t text = 0;
  std::size_t id = 0;              // the same as `text` if there is no id column
  bool own_ids = true;             // whether there is an id column
  std::vector<std::size_t> extra;  // one per field of InputOptions::extra_fields; kNoColumn if it does not exist

  static constexpr std::size_t kNoColumn = ~std::size_t{0};
};

// The file that is read.
struct RecordFile {
  std::string path;
  char delimiter = 0;       // of a table
  CsvColumns columns = {};  // of a table; known after the first piece that contains a record
};

// Finds the ends of records in a file that is read in chunks.
class RecordScanner {
 public:
  // A record of more than `most_bytes` is too long.
  explicit RecordScanner(std::uint64_t most_bytes, char delimiter = 0)
      : most_bytes_(most_bytes), delimiter_(delimiter) {}
  virtual ~RecordScanner() = default;

  // The number of records that have ended so far, for RawPiece::records_before. 0 if the parser does not need it.
  std::uint64_t records() const { return records_; }
  // Whether last_end() looks at records from their beginnings.
  virtual bool rescans() const { return false; }
  // The offset after the last record that ends in `bytes`, or npos. `bytes` follow those of the previous call; but if
  // it rescans(), they begin with a record: after npos, with the bytes of the previous call.
  virtual std::size_t last_end(std::string_view bytes) = 0;
  // The next two are called after last_end() returned npos, with `bytes` from the beginning of the record on. This is
  // the size of text at their beginning that belongs to no record and is to be cut off; usually 0.
  virtual std::size_t text_before(std::string_view /*bytes*/) const { return 0; }
  // Whether the record is too long, so that the rest of it has to be skipped. Bytes from `held` on must be passed to
  // first_end() again.
  virtual bool too_long(std::string_view bytes, std::size_t& held) {
    held = bytes.size();
    return bytes.size() > most_bytes_;
  }
  // The offset where a record that is too long ends in the bytes that follow, or npos. Bytes from `held` on, initially
  // the end of `bytes`, must be passed again.
  virtual std::size_t first_end(std::string_view bytes, std::size_t& held) = 0;
  // Called with every piece: moves the beginning of the first piece of a table past the header row, and stores the
  // columns in `file`. Throws Error(bad_input) for a header without the requested fields.
  virtual void read_header(RawPiece& /*piece*/, RecordFile& /*file*/, const InputOptions& /*options*/) {}

 protected:
  const std::uint64_t most_bytes_;
  const char delimiter_;
  std::uint64_t records_ = 0;
};

// A parser counts these besides records.
struct ParseCounts {
  std::uint64_t mails = 0;
  std::uint64_t replaced = 0;       // characters that could not be converted
  std::uint64_t surrogates = 0;     // that are unpaired
  std::uint64_t other_skipped = 0;  // records without a document
};

// Its memory is reused from piece to piece. Not thread-safe: every worker has its own.
class RecordParser {
 public:
  // Keeps a reference to `options`.
  RecordParser(MemoryBudget& /*budget*/, std::size_t /*piece_bytes*/, const InputOptions& options)
      : options_(options), most_bytes_(max_raw_bytes(options.max_doc_bytes)) {}
  virtual ~RecordParser() = default;

  // Parses from piece.begin until the piece ends or `builder` is full, and updates piece.begin and, if the format has
  // lines, piece.line. `builder` must have room for as many bytes as the piece. Returns false if the batch must be used
  // before there is room for the next record.
  virtual bool parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) = 0;
  // Releases the memory of long records.
  virtual void shrink() {}
  // The counts since the last call.
  ParseCounts take_counts() { return std::exchange(counts_, {}); }

 protected:
  const InputOptions& options_;
  const std::uint64_t most_bytes_;  // of a record
  ParseCounts counts_;
};

// Lines: every line is a record, even an empty one.
//
// Also for JSON Lines.
class LineScanner final : public RecordScanner {
 public:
  using RecordScanner::RecordScanner;

  std::size_t last_end(std::string_view bytes) override {
    const auto* const found = static_cast<const char*>(memrchr(bytes.data(), '\n', bytes.size()));
    return found == nullptr ? std::string_view::npos : static_cast<std::size_t>(found - bytes.data()) + 1;
  }
  std::size_t first_end(std::string_view bytes, std::size_t& /*held*/) override {
    const std::size_t at = bytes.find('\n');
    return at == std::string_view::npos ? at : at + 1;
  }
};

// The text of a line is the line without the carriage return that may end it.
class LineParser final : public RecordParser {
 public:
  using RecordParser::RecordParser;

  bool parse(RawPiece& piece, const RecordFile& file, LargeTurn& /*turn*/, BatchBuilder& builder) override {
    const char* const data = piece.bytes.data();
    while (piece.begin < piece.end && !builder.full()) {
      const char* begin = data + piece.begin;
      const char* end = static_cast<const char*>(std::memchr(begin, '\n', piece.end - piece.begin));
      if (end == nullptr) end = data + piece.end;
      piece.begin = std::min(static_cast<std::size_t>(end - data) + 1, piece.end);
      ++piece.line;
      auto size = static_cast<std::size_t>(end - begin);
      if (size > 0 && begin[size - 1] == '\r') --size;
      if (size > options_.max_doc_bytes) {
        builder.add_bad(file.path, piece.line, too_long_reason(options_.max_doc_bytes));
        continue;
      }
      std::memcpy(builder.room(), begin, size);
      builder.add(size, {});
      if (builder.raw()) builder.locate({begin, data + piece.begin}, {begin, size});
    }
    return true;
  }
};

}  // namespace refrain::corpus
