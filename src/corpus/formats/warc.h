// Web archives (WARC, ISO 28500, and its forerunner ARC): where their records end, and what those say.
//
// A record of WARC is a version line, headers, a blank line, as many bytes as its Content-Length says, and two line
// breaks. Documents are responses of status 200, resources and conversions that are HTML, XHTML or plain text, and
// metadata that is JSON (WAT); all other records are passed over. A record without a length, or that does not end where
// it should, is a bad one; reading goes on at the next line that begins like a record.
//
// A record of ARC has one line for its headers, "URL IP-address date type length", with more before the length in version
// 2, and one line break behind it. Its records are responses, but for those of other protocols: filedesc:, dns:.
//
// The scanner (where does a record end?) and the parser (what does it say?) both ask measure_warc(), whose answer does
// not depend on how the file came in pieces.
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
  std::size_t block_end = 0;  // may be past the bytes where it is too long

  static constexpr std::size_t npos = ~std::size_t{0};
};

// `all`: nothing follows `bytes`. `searched`: so many of the bytes have been looked at before for the beginning of a
// next record; raised.
WarcSpan measure_warc(std::string_view bytes, std::uint64_t most_bytes, bool all, std::size_t& searched);

// Finds the ends of records in a file that comes in chunks.
class WarcScanner {
 public:
  explicit WarcScanner(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // The offset behind the last record that ends in `bytes`, which begin with a record and are those of the last call and
  // more, unless that found an end; or npos.
  std::size_t last_end(std::string_view bytes);
  // After last_end() found none: whether the record at the beginning of `bytes` is too long, so that the rest of it is
  // to be passed over. Bytes from `held` on are to be given to first_end() again.
  bool too_long(std::string_view bytes, std::size_t& held);

  // Of what follows a record that is too long: where it ends, or npos. Bytes from `held` on are to be given again.
  std::size_t first_end(std::string_view bytes, std::size_t& held);

 private:
  const std::uint64_t most_bytes_;
  std::size_t searched_ = 0;
  std::uint64_t left_ = 0;       // of a block that is passed over
  std::size_t breaks_left_ = 0;  // that may follow it
  bool search_ = false;          // its end is not known
};

// Its memory is reused from record to record. Not thread-safe.
class WarcParser {
 public:
  // Keeps a reference to `options`.
  WarcParser(MemoryBudget& budget, const InputOptions& options);

  // Parses from piece.begin on until the piece or the room in `builder` ends, and moves piece.begin there. False where
  // the batch has to be used before there is room for the next record.
  bool parse(RawPiece& piece, const std::string& path, LargeTurn& turn, BatchBuilder& builder);

  // The records that were passed over since the last call.
  std::uint64_t take_other() { return std::exchange(other_, 0); }

  // Characters of pages that their charset did not know, since the last call.
  std::uint64_t take_replaced() { return page_.take_replaced(); }

  // Gives back what long records took.
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
