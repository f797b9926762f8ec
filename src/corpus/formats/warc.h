// Web archives (WARC and ARC), and the HTTP responses in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/page_text.h"
#include "corpus/formats/record_parser.h"
#include "refrain/input.h"

namespace refrain::corpus {

// An archived HTTP response: its headers, and its body with transfer and content encodings decoded.

// The value of the first header with this name in any case, without surrounding white space.
std::optional<std::string_view> header_value(std::string_view headers, std::string_view name);

// The offset after the blank line that ends the headers at the beginning of `bytes`, or npos.
std::size_t end_of_headers(std::string_view bytes);

struct HttpResponse {
  unsigned status = 0;
  std::string_view headers;
  std::string_view body;  // as it was sent
};

// nullopt if `block` is not a response.
std::optional<HttpResponse> read_http(std::string_view block);

// Its memory is reused from body to body. Not thread-safe.
class HttpBody {
 public:
  explicit HttpBody(MemoryBudget& budget);

  // The body of `response`, with chunks joined and gzip or deflate decompressed. If the archive already joined the
  // chunks or decompressed gzip, although the headers still name them, the body is taken as it is. Returns a view of
  // the response or of memory of this object, valid until the next call; or nullopt and a reason, if the body is
  // damaged or longer than `most` bytes. `grow` is called before more memory is allocated.
  std::optional<std::string_view> decode(const HttpResponse& response, std::uint64_t most,
                                         const std::function<void(std::size_t)>& grow, std::string& reason);

  void shrink();

 private:
  bool inflate_body(std::string_view packed, int window, std::uint64_t most,
                    const std::function<void(std::size_t)>& grow, std::string& reason);

  MemoryBudget& budget_;
  Array<char> joined_;  // the chunks, concatenated
  Array<char> unpacked_;
};

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

// The size of the record at the beginning of `bytes`, after which nothing follows.
std::size_t warc_record_size(std::string_view bytes, std::uint64_t most_bytes);

class WarcScanner final : public RecordScanner {
 public:
  using RecordScanner::RecordScanner;
  bool rescans() const override { return true; }
  std::size_t last_end(std::string_view bytes) override;
  bool too_long(std::string_view bytes, std::size_t& held) override;
  std::size_t first_end(std::string_view bytes, std::size_t& held) override;

 private:
  std::size_t searched_ = 0;
  std::uint64_t left_ = 0;       // bytes of a skipped block
  std::size_t breaks_left_ = 0;  // line breaks that may follow it
  bool search_ = false;          // its end is unknown, so the next record is searched for
};

class WarcParser final : public RecordParser {
 public:
  WarcParser(MemoryBudget& budget, std::size_t piece_bytes, const InputOptions& options);

  bool parse(RawPiece& piece, const RecordFile& file, LargeTurn& turn, BatchBuilder& builder) override;
  void shrink() override;

 private:
  enum class Found { document, other, bad };

  Found read(std::string_view headers, std::string_view block, LargeTurn& turn);
  Found read_text(std::string_view body, std::string_view type, bool html, LargeTurn& turn);
  void add(std::string_view headers, std::string_view record, BatchBuilder& builder);

  HttpBody body_;
  PageText page_;
  std::string_view text_;  // of the record that was read last
  std::string_view id_;
  std::string reason_;  // why it is bad
  bool ready_ = false;  // it has been read and waits for room
};

}  // namespace refrain::corpus
