#include "corpus/files/line_ranges.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "corpus/formats/batch_builder.h"

namespace refrain::corpus {

namespace {

// How far to read past the end of a piece at first. Most records end within this.
constexpr std::size_t kOverlapBytes = std::size_t{16} << 10;

const char* find_break(const char* begin, const char* end) {
  return static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

}  // namespace

LineRanges::LineRanges(const Input& input, const SourceOptions& options, std::size_t piece_bytes)
    : file_(source_of(input, options)),
      range_bytes_(std::max<std::size_t>(piece_bytes / 2, 8)),
      max_raw_bytes_(input.format->max_record_bytes(options.max_doc_bytes)) {}

std::uint64_t LineRanges::bytes(std::uint64_t piece) const {
  return std::min<std::uint64_t>(range_bytes_, file_.size() - piece * range_bytes_);
}

std::optional<std::uint64_t> LineRanges::read(std::uint64_t piece, RawPiece& into, LargeTurn& turn) const {
  into.begin = into.end = 0;
  into.line = 0;
  into.kind = RawPiece::Kind::records;
  // The byte before the piece tells whether a record begins at the first byte of the piece.
  const std::uint64_t from = piece == 0 ? 0 : piece * range_bytes_ - 1;
  into.offset = from;
  // The end of the piece in `into.bytes`. Records that begin before it belong to the piece.
  std::size_t owned = static_cast<std::size_t>(piece * range_bytes_ + bytes(piece) - from);
  std::size_t have = 0;
  bool ended = false;
  const auto fill = [&](std::size_t size) {
    if (size + kPadding > into.bytes.size()) {
      turn.need(size);
      into.bytes.resize(size + kPadding);
    }
    have += file_.read_up_to(from + have, {into.bytes.data() + have, size - have});
    ended = have < size;
  };
  fill(owned + std::min(kOverlapBytes, range_bytes_));
  owned = std::min(owned, have);  // the file may have become shorter
  if (owned == 0) return std::nullopt;
  if (piece == 0) {
    if (std::string_view(into.bytes.data(), have).starts_with(kByteOrderMark)) into.begin = kByteOrderMark.size();
  } else {
    const char* const found = find_break(into.bytes.data(), into.bytes.data() + owned - 1);
    if (found == nullptr) return std::nullopt;
    into.begin = static_cast<std::size_t>(found + 1 - into.bytes.data());
  }
  // The last record begins after the last line break before the piece's last byte.
  const auto* const last_break = static_cast<const char*>(
      into.begin < owned ? memrchr(into.bytes.data() + into.begin, '\n', owned - 1 - into.begin) : nullptr);
  const std::size_t last =
      last_break == nullptr ? into.begin : static_cast<std::size_t>(last_break + 1 - into.bytes.data());
  for (std::size_t scanned = std::max(owned - 1, into.begin);;) {
    const char* const data = into.bytes.data();
    if (const char* const found = find_break(data + scanned, data + have)) {
      into.end = static_cast<std::size_t>(found + 1 - data);
      break;
    }
    if (have - last > max_raw_bytes_) {
      into.end = last;
      return from + last;
    }
    if (ended) {
      into.end = have;
      break;
    }
    scanned = have;
    fill(static_cast<std::size_t>(std::min<std::uint64_t>(have + have / 4 + kOverlapBytes,
                                                          std::max<std::uint64_t>(last + max_raw_bytes_, have) + 1)));
  }
  into.trim();
  return std::nullopt;
}

bool LineRanges::read_more(std::uint64_t begin, RawPiece& into) const {
  into.begin = 0;
  into.kind = RawPiece::Kind::more;
  const std::size_t have = file_.read_up_to(begin, {into.bytes.data(), range_bytes_});
  const char* const found = find_break(into.bytes.data(), into.bytes.data() + have);
  into.end = found == nullptr ? have : static_cast<std::size_t>(found + 1 - into.bytes.data());
  return found == nullptr && have == range_bytes_;
}

}  // namespace refrain::corpus
