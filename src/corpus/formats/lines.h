// Lines: every line is a record, even an empty one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "corpus/formats/record_parser.h"

namespace refrain::corpus {

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
