// Web archives (WARC, ISO 28500, and its predecessor ARC): finds where their records end, and reads them.
//
// A WARC record is a version line, headers, a blank line, as many bytes as its Content-Length says, and two line
// breaks. Documents are responses of status 200, resources and conversions that are HTML, XHTML or plain text, and
// metadata that is JSON (WAT); all other records are skipped. A record without a length, or one that does not end
// where it should, is a bad record; reading continues at the next line that looks like the beginning of a record.
//
// An ARC record has one line of headers, "URL IP-address date type length", with more fields before the length in
// version 2, and one line break after it. Its records are responses, except those of other protocols: filedesc:, dns:.
//
// The scanner, which finds where records end, and the parser, which reads them, both call measure_warc(), whose
// result does not depend on how the file was divided into pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/batch_builder.h"
#include "corpus/formats/http_body.h"
#include "corpus/formats/page_text.h"
#include "refrain/input.h"

namespace refrain::corpus {

class LargeTurn;
struct RawPiece;

// The record at the beginning of some bytes.
struct WarcSpan {
  enum class Kind { record, blank, damaged, too_long };

  Kind kind = Kind::record;
  std::size_t size = 0;  // with the line breaks that end it; npos: more bytes are needed to tell
  std::size_t headers_begin = 0;
  std::size_t block_begin = 0;
  std::size_t block_end = 0;  // may lie beyond the bytes if the record is too long

  static constexpr std::size_t npos = ~std::size_t{0};
};

// `all`: nothing follows `bytes`. `searched`: how many of the bytes were already searched for the beginning of the
// next record; updated by the call.
WarcSpan measure_warc(std::string_view bytes, std::uint64_t most_bytes, bool all, std::size_t& searched);

// Finds the ends of records in a file that is read in chunks.
class WarcScanner {
 public:
  explicit WarcScanner(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // The offset after the last record that ends in `bytes`, or npos. `bytes` must begin with a record. If the previous
  // call returned npos, they must begin with the bytes of that call.
  std::size_t last_end(std::string_view bytes);
  // To be called after last_end() returned npos: whether the record at the beginning of `bytes` is too long, so that
  // the rest of it has to be skipped. Bytes from `held` on must be passed to first_end() again.
  bool too_long(std::string_view bytes, std::size_t& held);

  // The offset where a record that is too long ends in the bytes that follow, or npos. Bytes from `held` on must be
  // passed again.
  std::size_t first_end(std::string_view bytes, std::size_t& held);

 private:
  const std::uint64_t most_bytes_;
  std::size_t searched_ = 0;
  std::uint64_t left_ = 0;       // bytes of a skipped block
  std::size_t breaks_left_ = 0;  // line breaks that may follow it
  bool search_ = false;          // its end is unknown, so the next record is searched for
};

// Its memory is reused from record to record. Not thread-safe.
class WarcParser {
 public:
  // Keeps a reference to `options`.
  WarcParser(MemoryBudget& budget, const InputOptions& options);

  // Parses from piece.begin until the piece ends or `builder` is full, and updates piece.begin. Returns false if the
  // batch must be used before there is room for the next record.
  bool parse(RawPiece& piece, const std::string& path, LargeTurn& turn, BatchBuilder& builder);

  // The number of skipped records since the last call.
  std::uint64_t take_other() { return std::exchange(other_, 0); }

  // The number of characters since the last call that could not be converted.
  std::uint64_t take_replaced() { return page_.take_replaced(); }

  // Releases the memory of long records.
  void shrink();

 private:
  enum class Found { document, other, bad };

  Found read(std::string_view headers, std::string_view block, LargeTurn& turn);
  Found read_text(std::string_view body, std::string_view type, bool html, LargeTurn& turn);
  void add(std::string_view headers, std::string_view record, BatchBuilder& builder) const;

  const InputOptions& options_;
  const std::uint64_t most_bytes_;
  HttpBody body_;
  PageText page_;
  std::string_view text_;  // of the record that was read last
  std::string_view id_;
  std::string reason_;  // why it is bad
  bool ready_ = false;  // it has been read and waits for room
  std::uint64_t other_ = 0;
};

}  // namespace refrain::corpus
