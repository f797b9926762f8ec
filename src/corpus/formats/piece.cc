#include "corpus/formats/piece.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/ascii.h"

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

std::uint64_t max_raw_bytes(std::uint64_t max_doc_bytes) {
  return 2 * std::min(max_doc_bytes, std::uint64_t{1} << 60) + (std::uint64_t{64} << 10);
}

std::string too_long_reason(std::uint64_t max_doc_bytes) {
  return fmt::format("longer than `max_doc_bytes` ({} bytes)", max_doc_bytes);
}

std::uint64_t line_breaks(std::string_view bytes) {
  return static_cast<std::uint64_t>(std::count(bytes.begin(), bytes.end(), '\n'));
}

bool make_room(BatchBuilder& builder, std::size_t text_bytes, LargeTurn& turn) {
  if (text_bytes <= builder.room_bytes()) return true;
  if (builder.size() > 0) return false;
  turn.need(text_bytes);
  builder.reserve_text(text_bytes);
  return true;
}

bool is_integer(std::string_view digits) {
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || (digits.size() > 1 && digits.front() == '0')) return false;
  return std::all_of(digits.begin(), digits.end(), is_digit);
}

bool is_id(FieldKind kind, std::string_view value) {
  return kind == FieldKind::string || (kind == FieldKind::number && is_integer(value));
}

std::string no_id(std::string_view field, FieldKind kind) {
  const bool number = kind == FieldKind::number;
  return fmt::format("field '{}' is {}", field,
                     number ? "a number that is not an integer" : "neither a string nor a number");
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

}  // namespace refrain::corpus
