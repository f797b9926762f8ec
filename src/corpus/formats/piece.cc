#include "corpus/formats/piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace refrain::corpus {

RawPiece::RawPiece(MemoryBudget& budget, std::size_t usual_bytes)
    : piece_bytes(usual_bytes), bytes(budget, "a long record", usual_bytes + kPadding) {}

void RawPiece::trim() {
  bytes.resize(std::max(piece_bytes, end) + kPadding);
}

void RawPiece::shrink() {
  begin = end = 0;
  if (bytes.size() > piece_bytes + kPadding) bytes.resize(piece_bytes + kPadding);
}

std::uint64_t max_raw_bytes(Format format, std::uint64_t max_doc_bytes) {
  const std::uint64_t bytes = std::min(max_doc_bytes, std::uint64_t{1} << 60);
  return format == Format::lines ? bytes + 1 : 2 * bytes + (std::uint64_t{64} << 10);  // a line may have a \r
}

std::string too_long_reason(std::uint64_t max_doc_bytes) {
  return fmt::format("longer than --max-doc-bytes ({} bytes)", max_doc_bytes);
}

std::string quoted_names(std::span<const std::string> names) {
  std::string shown;
  for (const std::string& name : names.first(std::min(names.size(), kShownNames))) {
    shown += shown.empty() ? "'" : ", '";
    for (const char c : name)
      if (static_cast<unsigned char>(c) < 0x20)
        shown += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
      else
        shown += c;
    shown += '\'';
  }
  return names.size() > kShownNames ? shown + ", ..." : shown;
}

void parse_lines(RawPiece& piece, const std::string& path, const InputOptions& options, BatchBuilder& builder) {
  const char* const data = piece.bytes.data();
  while (piece.begin < piece.end && !builder.full()) {
    const char* begin = data + piece.begin;
    const char* end = static_cast<const char*>(std::memchr(begin, '\n', piece.end - piece.begin));
    if (end == nullptr) end = data + piece.end;
    piece.begin = std::min(static_cast<std::size_t>(end - data) + 1, piece.end);
    ++piece.line;
    auto size = static_cast<std::size_t>(end - begin);
    if (size > 0 && begin[size - 1] == '\r') --size;
    if (size > options.max_doc_bytes) {
      builder.add_bad(path, piece.line, too_long_reason(options.max_doc_bytes));
      continue;
    }
    std::memcpy(builder.room(), begin, size);
    builder.add(size, {});
    if (builder.raw()) builder.locate({begin, data + piece.begin}, {begin, size});
  }
}

}  // namespace refrain::corpus
