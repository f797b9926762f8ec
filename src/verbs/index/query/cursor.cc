#include "verbs/index/query/record.h"

#include <array>
#include <cstddef>
#include <numeric>

#include "base/hash.h"
#include "refrain/error.h"

namespace refrain::verbs::index {
namespace {

constexpr std::uint64_t kCursorVersion = 2;
// Bytes of the version, the hashes of query and commit, begin, end, chains and told. In every version, the checksum
// of the fields comes last.
constexpr std::array<unsigned, 7> kWidths = {1, 8, 8, 4, 4, 4, 4};
constexpr unsigned kSumWidth = 4;
constexpr std::string_view kDigits = "0123456789abcdef";
using Fields = std::array<std::uint64_t, kWidths.size()>;

void append_hex(std::string& out, std::uint64_t value, unsigned bytes) {
  for (unsigned shift = 8 * bytes; shift > 0; shift -= 4) out += kDigits[value >> (shift - 4) & 15U];
}

std::uint64_t checksum_of(std::string_view digits) {
  return checksum(digits) & 0xffffffff;
}

[[noreturn]] void refuse(const char* what, Errc code = Errc::invalid_argument) {
  throw Error(code, std::string("`cursor`: ") + what);
}

[[noreturn]] void refuse_malformed() {
  refuse("not a cursor; copy it in full");
}

// Removes the first `bytes` bytes, two digits each, from the text and returns their value.
std::uint64_t take(std::string_view& text, unsigned bytes) {
  std::uint64_t value = 0;
  for (const char c : text.substr(0, std::size_t{2} * bytes)) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) refuse_malformed();
    value = value << 4U | digit;
  }
  text.remove_prefix(std::size_t{2} * bytes);
  return value;
}

Fields parse(std::string_view text) {
  constexpr std::size_t kSumDigits = std::size_t{2} * kSumWidth;
  if (text.size() < kSumDigits + 2) refuse_malformed();
  std::string_view rest = text.substr(0, text.size() - kSumDigits);
  std::string_view sum = text.substr(rest.size());
  if (take(sum, kSumWidth) != checksum_of(rest)) refuse_malformed();
  Fields fields{};
  fields[0] = take(rest, kWidths[0]);
  if (fields[0] != kCursorVersion)
    refuse("from another version of Refrain; repeat the query without it", Errc::outdated);
  if (rest.size() != std::size_t{2} * std::accumulate(kWidths.begin() + 1, kWidths.end(), 0U)) refuse_malformed();
  for (std::size_t i = 1; i < fields.size(); ++i) fields[i] = take(rest, kWidths[i]);
  return fields;
}

}  // namespace

std::string encode_cursor(const QueryCursor& cursor) {
  const Fields fields = {kCursorVersion,  cursor.query,       cursor.commit,  cursor.last.begin,
                         cursor.last.end, cursor.last.chains, cursor.reported};
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i) append_hex(text, fields[i], kWidths[i]);
  append_hex(text, checksum_of(text), kSumWidth);
  return text;
}

void check_cursor(std::string_view text, std::uint64_t commit) {
  if (parse(text)[2] != commit) refuse("the index has changed since; repeat the query without it", Errc::outdated);
}

QueryCursor decode_cursor(std::string_view text, std::uint64_t query, std::uint64_t commit) {
  check_cursor(text, commit);
  const Fields fields = parse(text);
  if (fields[1] != query) refuse("from another query; use the same texts and options");
  const auto number = [&](std::size_t i) { return static_cast<std::uint32_t>(fields[i]); };
  if (number(3) >= number(4)) refuse_malformed();
  return {query, commit, {number(3), number(4), 0, number(5)}, number(6)};
}

}  // namespace refrain::verbs::index
