#include "corpus/markup/mime.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/ascii.h"
#include "corpus/formats/recognize.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMaxHeaderValue = std::size_t{64} << 10;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Of a hexadecimal digit; 16 where it is none.
unsigned hex_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char letter = lower(c);
  return 'a' <= letter && letter <= 'f' ? static_cast<unsigned>(letter - 'a') + 10 : 16;
}

// The byte that two hexadecimal digits spell at the beginning of `text`, or nothing.
std::optional<char> hex_byte(std::string_view text) {
  if (text.size() < 2 || hex_value(text[0]) > 15 || hex_value(text[1]) > 15) return std::nullopt;
  return static_cast<char>(hex_value(text[0]) << 4U | hex_value(text[1]));
}

constexpr std::uint8_t kNoDigit = 64;
constexpr std::array<std::uint8_t, 256> kBase64Digits = [] {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  return digits;
}();

// The value of a parameter at the beginning of `text`, in quotes or not; taken off.
std::string take_value(std::string_view& text) {
  std::string value;
  if (!text.starts_with('"')) {
    const std::string_view word = text.substr(0, text.find(';'));
    text.remove_prefix(word.size());
    return std::string(without_blanks(word));
  }
  std::size_t at = 1;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at];
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return value;
}

// A line of `text` from `at` on that begins with "--" and the boundary: where it begins, and behind it.
struct Delimiter {
  std::size_t begin = kNone;
  std::size_t end = kNone;
  bool last = false;
};

Delimiter find_delimiter(std::string_view text, std::string_view boundary, std::size_t at) {
  constexpr std::string_view kDashes = "--";
  while (at < text.size()) {
    const bool line_begins = at == 0 || text[at - 1] == '\n';
    const std::string_view rest = text.substr(at);
    if (line_begins && rest.starts_with(kDashes) && rest.substr(kDashes.size()).starts_with(boundary)) {
      std::string_view behind = rest.substr(kDashes.size() + boundary.size());
      const bool last = behind.starts_with(kDashes);
      std::string_view line = take_line(behind);
      if (last) line.remove_prefix(kDashes.size());
      if (without_blanks(line).empty()) return {at, text.size() - behind.size(), last};
    }
    const std::size_t next = text.find("\n--", at);
    if (next == kNone) break;
    at = next + 1;
  }
  return {};
}

// Without the line break that ends it.
std::string_view without_break(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

// An encoded word: "=?charset?B?text?=".
struct EncodedWord {
  std::string charset;
  char coding = 0;  // b or q
  std::string_view text;
  std::size_t size = 0;
};

std::optional<EncodedWord> encoded_word(std::string_view value) {
  constexpr std::size_t kMostBytes = 1024;  // 75 by the standard; some programs do not care
  value = value.substr(0, kMostBytes);
  if (!value.starts_with("=?")) return std::nullopt;
  const std::size_t coding = value.find('?', 2);
  if (coding == kNone || coding + 2 >= value.size() || value[coding + 2] != '?') return std::nullopt;
  const std::size_t end = value.find("?=", coding + 3);
  if (end == kNone) return std::nullopt;
  EncodedWord word{.charset = std::string(value.substr(2, coding - 2)),
                   .coding = lower(value[coding + 1]),
                   .text = value.substr(coding + 3, end - coding - 3),
                   .size = end + 2};
  word.charset.resize(std::min(word.charset.find('*'), word.charset.size()));  // a language may follow
  if (word.coding != 'b' && word.coding != 'q') return std::nullopt;
  return word;
}

std::string decode_word(const EncodedWord& word) {
  std::string bytes(word.text);
  if (word.coding == 'q') std::replace(bytes.begin(), bytes.end(), '_', ' ');
  std::string decoded(bytes.size(), '\0');
  decoded.resize(word.coding == 'b' ? decode_base64(bytes, decoded.data())
                                    : decode_quoted_printable(bytes, decoded.data()));
  return decoded;
}

}  // namespace

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string_view whole = text.substr(0, std::min(line.size() + 1, text.size()));
  text.remove_prefix(whole.size());
  return whole;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  return begin == kNone ? std::string_view() : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

MailHalves split_mail(std::string_view message) {
  std::string_view rest = message;
  while (!rest.empty()) {
    std::string_view next = rest;
    const std::string_view line = take_line(next);
    const std::size_t headers = message.size() - rest.size();
    if (line == "\n" || line == "\r\n") return {message.substr(0, headers), next};
    if (!is_mail_header(line) && !(headers > 0 && is_blank(line.front()))) return {message.substr(0, headers), rest};
    rest = next;
  }
  return {message, {}};
}

std::optional<std::string> mail_header(std::string_view headers, std::string_view name) {
  while (!headers.empty()) {
    const std::string_view line = take_line(headers);
    if (line.size() <= name.size() || line[name.size()] != ':' || !same_word(line.substr(0, name.size()), name))
      continue;
    std::string value(without_blanks(line.substr(name.size() + 1)).substr(0, kMaxHeaderValue));
    while (!headers.empty() && is_blank(headers.front()) && value.size() < kMaxHeaderValue) {
      const std::string_view more = without_blanks(take_line(headers)).substr(0, kMaxHeaderValue);
      if (!value.empty() && !more.empty()) value += ' ';
      value += more;
    }
    return value;
  }
  return std::nullopt;
}

MediaType read_media_type(std::string_view value, std::string_view usual) {
  MediaType type;
  for (const char c : without_blanks(value.substr(0, value.find(';')))) type.media += lower(c);
  if (type.media.find('/') == std::string::npos) type.media = usual;
  value.remove_prefix(std::min(value.find(';'), value.size()));
  while (!value.empty()) {
    value.remove_prefix(1);  // the semicolon, or what stood behind quotes
    const std::size_t end = value.find_first_of("=;");
    if (end == kNone) break;
    std::string_view name = without_blanks(value.substr(0, end));
    const bool has_value = value[end] == '=';
    value.remove_prefix(end + (has_value ? 1 : 0));
    if (!has_value) continue;
    while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
    std::string found = take_value(value);
    if (name.ends_with('*')) {  // charset'language'value (RFC 2231)
      name.remove_suffix(1);
      found.erase(0, found.rfind('\'') + 1);
    }
    if (same_word(name, "charset")) type.charset = found;
    if (same_word(name, "boundary")) type.boundary = found;
    value.remove_prefix(std::min(value.find(';'), value.size()));
  }
  return type;
}

std::optional<std::string_view> next_part(std::string_view body, std::string_view boundary, std::size_t& at) {
  const Delimiter begin = find_delimiter(body, boundary, at);
  if (begin.begin == kNone || begin.last) return std::nullopt;
  const Delimiter end = find_delimiter(body, boundary, begin.end);
  at = std::min(end.begin, body.size());
  return without_break(body.substr(begin.end, at - begin.end));
}

std::size_t decode_base64(std::string_view bytes, char* out) {
  char* to = out;
  std::uint32_t bits = 0;
  unsigned digits = 0;
  const auto put = [&](unsigned missing) {
    bits <<= 6U * missing;
    for (unsigned i = 0; i + missing < 3; ++i) *to++ = static_cast<char>(bits >> (16U - 8U * i) & 0xFFU);
    bits = digits = 0;
  };
  std::size_t at = 0;
  for (; at < bytes.size(); ++at) {
    const std::uint8_t digit = kBase64Digits[static_cast<unsigned char>(bytes[at])];
    if (digit != kNoDigit) {
      bits = bits << 6U | digit;
      if (++digits == 4) put(0);
    } else if (bytes[at] == '=') {
      if (digits > 1) put(4 - digits);
      bits = digits = 0;
    } else if (!is_space(bytes[at])) {
      break;
    }
  }
  if (digits > 1) put(4 - digits);
  const std::string_view rest = bytes.substr(at);
  to = std::copy(rest.begin(), rest.end(), to);
  return static_cast<std::size_t>(to - out);
}

std::size_t decode_quoted_printable(std::string_view bytes, char* out) {
  char* to = out;
  while (!bytes.empty()) {
    const std::string_view plain = bytes.substr(0, bytes.find('='));
    to = std::copy(plain.begin(), plain.end(), to);
    bytes.remove_prefix(plain.size());
    if (bytes.empty()) break;
    if (const std::optional<char> byte = hex_byte(bytes.substr(1))) {
      *to++ = *byte;
      bytes.remove_prefix(3);
      continue;
    }
    // A line that goes on: the mark, and white space that was added on the way.
    const std::size_t end = std::min(bytes.find_first_not_of(" \t\r", 1), bytes.size());
    if (end == bytes.size() || bytes[end] == '\n') {
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
      continue;
    }
    *to++ = '=';
    bytes.remove_prefix(1);
  }
  return static_cast<std::size_t>(to - out);
}

std::string decode_words(std::string_view value,
                         const std::function<std::string(std::string_view bytes, const std::string& charset)>& utf8) {
  std::string decoded;
  std::string charset;
  std::string bytes;  // of words in a row: a character may be cut in two
  const auto flush = [&] {
    if (!bytes.empty()) decoded += utf8(bytes, charset);
    bytes.clear();
  };
  bool behind_word = false;
  while (!value.empty()) {
    const std::size_t text = behind_word ? std::min(value.find_first_not_of(" \t"), value.size()) : 0;
    if (const std::optional<EncodedWord> word = encoded_word(value.substr(text))) {
      if (!same_word(charset, word->charset)) flush();
      charset = word->charset;
      bytes += decode_word(*word);
      value.remove_prefix(text + word->size);
      behind_word = true;
      continue;
    }
    flush();
    behind_word = false;
    const std::size_t next = std::min(value.find("=?", 1), value.size());
    decoded += value.substr(0, next);
    value.remove_prefix(next);
  }
  flush();
  return decoded;
}

}  // namespace refrain::corpus
