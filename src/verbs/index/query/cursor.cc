#include "verbs/index/query/cursor.h"

#include <array>
#include <cstddef>

#include "base/checksum.h"
#include "refrain/error.h"

namespace refrain::verbs::index {
namespace {

constexpr std::uint64_t kCursorVersion = 1;
// Bytes of the version, the hash, begin, end, chains, told, and the checksum.
constexpr std::array<unsigned, 7> kWidths = {1, 8, 4, 4, 4, 4, 4};
using Fields = std::array<std::uint64_t, kWidths.size()>;

void append_hex(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned shift = 8 * bytes; shift > 0; shift -= 4) out += "0123456789abcdef"[value >> (shift - 4) & 15U];
}

std::uint64_t checksum_of(std::string_view digits) {
  return checksum(digits) & 0xffffffff;
}

[[noreturn]] void refuse(const char* what) {
  throw Error(Errc::invalid_argument, std::string("--cursor: ") + what);
}

Fields parse(std::string_view text) {
  constexpr const char* kMalformed = "not a cursor; copy it in full";
  std::size_t digits = 0;
  for (const unsigned width : kWidths) digits += std::size_t{2} * width;
  if (text.size() != digits) refuse(kMalformed);
  Fields fields{};
  std::size_t at = 0;
  for (std::size_t i = 0; i < fields.size(); ++i)
    for (const std::size_t end = at + std::size_t{2} * kWidths[i]; at < end; ++at) {
      const std::size_t digit = std::string_view("0123456789abcdef").find(text[at]);
      if (digit == std::string_view::npos) refuse(kMalformed);
      fields[i] = fields[i] << 4U | digit;
    }
  if (fields.back() != checksum_of(text.substr(0, digits - std::size_t{2} * kWidths.back()))) refuse(kMalformed);
  return fields;
}

}  // namespace

std::string encode_cursor(const QueryCursor& cursor) {
  const Fields fields = {
      kCursorVersion, cursor.query, cursor.last.begin, cursor.last.end, cursor.last.chains, cursor.told, 0};
  std::string text;
  for (std::size_t i = 0; i + 1 < fields.size(); ++i) append_hex(text, fields[i], kWidths[i]);
  append_hex(text, checksum_of(text), kWidths.back());
  return text;
}

QueryCursor decode_cursor(std::string_view text, std::uint64_t query) {
  const Fields fields = parse(text);
  if (fields[0] != kCursorVersion) refuse("from another version of Refrain; repeat the query without it");
  if (fields[1] != query) refuse("from another query; use the same texts and options");
  const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(fields[i]); };
  if (number(2) >= number(3)) refuse("not a cursor; copy it in full");
  return {query, {number(2), number(3), 0, number(4)}, number(5)};
}

}  // namespace refrain::verbs::index
