#include "faces/server/wire/json_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "faces/server/wire/failure.h"

namespace refrain::server {

namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether `c` cannot occur unescaped in a JSON string: a quote, a backslash or a control character.
bool is_special(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// Returns the first special character from `at` on, or `end`. Checks 16 bytes at a time.
const char* find_special(const char* at, const char* end) {
  using Bytes [[gnu::vector_size(16)]] = unsigned char;
  using Words [[gnu::vector_size(16)]] = std::uint64_t;
  for (; end - at >= 16; at += 16) {
    Bytes bytes;
    std::memcpy(&bytes, at, sizeof bytes);
    const auto special = reinterpret_cast<Words>((bytes == '"') | (bytes == '\\') | (bytes < 0x20));
    if ((special[0] | special[1]) != 0) break;
  }
  return std::find_if(at, end, [](char c) { return is_special(c); });
}

void append_utf8(std::string& out, unsigned code) {
  const auto last = [&](unsigned shift) { return static_cast<char>(0x80U | (code >> shift & 0x3FU)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += {static_cast<char>(0xC0U | code >> 6U), last(0)};
  } else if (code < 0x10000) {
    out += {static_cast<char>(0xE0U | code >> 12U), last(6), last(0)};
  } else {
    out += {static_cast<char>(0xF0U | code >> 18U), last(12), last(6), last(0)};
  }
}

// The length of the number that `text` begins with; 0 if there is none.
std::size_t number_length(std::string_view text) {
  std::size_t at = 0;
  const auto next = [&] { return at < text.size() ? text[at] : '\0'; };
  const auto digits = [&] {
    const std::size_t first = at;
    while (is_digit(next())) ++at;
    return at != first;
  };
  if (next() == '-') ++at;
  if (next() == '0')
    ++at;
  else if (!digits())
    return 0;
  if (next() == '.') {
    ++at;
    if (!digits()) return 0;
  }
  if (next() == 'e' || next() == 'E') {
    ++at;
    if (next() == '+' || next() == '-') ++at;
    if (!digits()) return 0;
  }
  return at;
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string where)
    : at_(text.data()), end_(text.data() + text.size()), where_(std::move(where)) {
  if (!simdjson::validate_utf8(text.data(), text.size())) fail("not JSON: it is not UTF-8");
}

void JsonReader::fail(std::string_view what) const {
  throw Failure(400, "bad_json", where_ + std::string(what));
}

char JsonReader::peek() {
  while (at_ != end_ && is_space(*at_)) ++at_;
  return at_ == end_ ? '\0' : *at_;
}

bool JsonReader::skip(char sign) {
  if (peek() != sign || at_ == end_) return false;
  ++at_;
  return true;
}

void JsonReader::expect(char sign) {
  if (!skip(sign)) fail(fmt::format("not JSON: '{}' is missing", sign));
}

void JsonReader::expect_end() {
  peek();
  if (at_ != end_) fail("not JSON: something follows its end");
}

std::string JsonReader::string() {
  expect('"');
  const char* const end = end_of_string();
  std::string out;
  out.reserve(static_cast<std::size_t>(end - at_));
  while (at_ != end) {
    const void* const found = std::memchr(at_, '\\', static_cast<std::size_t>(end - at_));
    const char* const escape = found == nullptr ? end : static_cast<const char*>(found);
    out.append(at_, escape);
    at_ = escape == end ? end : append_escape(escape + 1, out);
  }
  ++at_;
  return out;
}

const char* JsonReader::end_of_string() const {
  for (const char* at = find_special(at_, end_); at != end_; at = find_special(at, end_)) {
    if (*at == '"') return at;
    if (*at != '\\') fail("not JSON: a control character in a string");
    if (++at == end_) break;
    ++at;
  }
  fail("not JSON: a string does not end");
}

// Appends the character of an escape. `at` is the character after the backslash. Returns the end of the escape.
const char* JsonReader::append_escape(const char* at, std::string& out) const {
  constexpr std::string_view kEscapes = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (const std::size_t found = kEscapes.find(*at); found != std::string_view::npos) {
    out += kMeanings[found];
    return at + 1;
  }
  if (*at != 'u') fail("not JSON: an unknown escape in a string");
  unsigned code = hexadecimal(at + 1);
  at += 5;
  if (code >= 0xD800 && code < 0xDC00 && end_ - at >= 2 && at[0] == '\\' && at[1] == 'u') {
    const unsigned low = hexadecimal(at + 2);
    if (low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
      at += 6;
    }
  }
  if (code >= 0xD800 && code < 0xE000) fail("not JSON: half of a surrogate pair in a string");
  append_utf8(out, code);
  return at;
}

unsigned JsonReader::hexadecimal(const char* at) const {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i, ++at) {
    const char c = at == end_ ? '\0' : *at;
    const char lower = static_cast<char>(c | 0x20);
    if (!is_digit(c) && (lower < 'a' || lower > 'f')) fail("not JSON: \\u needs four hexadecimal digits");
    code = code * 16 + static_cast<unsigned>(is_digit(c) ? c - '0' : lower - 'a' + 10);
  }
  return code;
}

std::string_view JsonReader::number() {
  peek();
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  const std::string_view out = rest.substr(0, number_length(rest));
  at_ += out.size();
  const char after = at_ == end_ ? ',' : *at_;
  if (out.empty() || !(is_space(after) || after == ',' || after == '}' || after == ']'))
    fail("not JSON: a number is malformed");
  return out;
}

bool JsonReader::boolean() {
  if (skip_word("true")) return true;
  if (skip_word("false")) return false;
  fail("not JSON: an unknown word");
}

bool JsonReader::skip_word(std::string_view word) {
  peek();
  if (!std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

void JsonReader::skip_key() {
  if (peek() != '"') fail("not JSON: a key is missing");
  string();
  expect(':');
}

void JsonReader::skip_scalar() {
  const char first = peek();
  if (first == '"')
    string();
  else if (first == '-' || is_digit(first))
    number();
  else if (!skip_word("null"))
    boolean();
}

void JsonReader::skip_value() {
  constexpr std::size_t kMaxDepth = 1024;
  std::string closing;  // the brackets that are still open, as they will be closed
  while (true) {
    const char first = peek();
    if (first == '{' || first == '[') {
      ++at_;
      const char last = first == '{' ? '}' : ']';
      if (!skip(last)) {
        if (closing.size() == kMaxDepth) fail("nested too deeply");
        closing += last;
        if (last == '}') skip_key();
        continue;
      }
    } else {
      skip_scalar();
    }
    // A value has ended, and maybe some of those that it is in.
    while (!closing.empty() && !skip(',')) {
      expect(closing.back());
      closing.pop_back();
    }
    if (closing.empty()) return;
    if (closing.back() == '}') skip_key();
  }
}

}  // namespace refrain::server
