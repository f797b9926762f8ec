#include "corpus/markup/mime.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <map>
#include <system_error>

#include "base/ascii.h"
#include "corpus/formats/recognize.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMaxHeaderValue = std::size_t{64} << 10;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// The value of a hexadecimal digit; 16 if it is not one.
unsigned hex_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char letter = lower(c);
  return 'a' <= letter && letter <= 'f' ? static_cast<unsigned>(letter - 'a') + 10 : 16;
}

// The byte encoded by two hexadecimal digits at the beginning of `text`, if they are valid.
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

// Removes the value of a parameter at the beginning of `text`, quoted or not, and returns it.
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

// Calls each(name, value) for the parameters of a header such as Content-Type, in order.
template <class Each>
void for_each_parameter(std::string_view value, Each each) {
  value.remove_prefix(std::min(value.find(';'), value.size()));
  while (!value.empty()) {
    value.remove_prefix(1);  // the semicolon
    const std::size_t end = value.find_first_of("=;");
    if (end == kNone) break;
    const std::string_view name = without_blanks(value.substr(0, end));
    const bool has_value = value[end] == '=';
    value.remove_prefix(end + (has_value ? 1 : 0));
    if (!has_value) continue;
    while (!value.empty() && is_blank(value.front())) value.remove_prefix(1);
    each(name, take_value(value));
    value.remove_prefix(std::min(value.find(';'), value.size()));
  }
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    const std::optional<char> byte = text.front() == '%' ? hex_byte(text.substr(1)) : std::nullopt;
    decoded += byte.value_or(text.front());
    text.remove_prefix(byte ? 3 : 1);
  }
  return decoded;
}

// A line from `at` on that begins with "--" and the boundary: the offsets of its beginning and of its end.
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

// The text without the line break that ends it.
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
  constexpr std::size_t kMostBytes = 1024;  // 75 by the standard, which some programs ignore
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
  for_each_parameter(value, [&](std::string_view name, std::string found) {
    if (name.ends_with('*')) {  // charset'language'value (RFC 2231)
      name.remove_suffix(1);
      found.erase(0, found.rfind('\'') + 1);
    }
    if (same_word(name, "charset")) type.charset = found;
    if (same_word(name, "boundary")) type.boundary = found;
  });
  return type;
}

std::string mail_parameter(std::string_view value, std::string_view name, const ToUtf8& utf8) {
  std::string plain;
  std::string charset;
  std::map<unsigned, std::string> sections;
  for_each_parameter(value, [&](std::string_view key, const std::string& found) {
    if (same_word(key, name)) plain = found;
    if (key.size() <= name.size() || key[name.size()] != '*' || !same_word(key.substr(0, name.size()), name)) return;
    // name*0, name*0* or name*: the number of a section, and whether the section is encoded.
    key.remove_prefix(name.size() + 1);
    const bool encoded = key.empty() || key.ends_with('*');
    if (key.ends_with('*')) key.remove_suffix(1);
    unsigned section = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), section);
    if (!key.empty() && (error != std::errc() || end != key.data() + key.size())) return;
    std::string_view text = found;
    if (encoded && section == 0) {  // charset'language'value
      const std::size_t language = std::min(text.find('\''), text.size());
      const std::size_t begin = text.find('\'', std::min(language + 1, text.size()));
      if (begin != kNone) {
        charset = text.substr(0, language);
        text.remove_prefix(begin + 1);
      }
    }
    sections[section] = encoded ? percent_decoded(text) : std::string(text);
  });
  if (sections.empty()) return decode_words(utf8(plain, {}), utf8);
  std::string joined;
  for (const auto& [section, text] : sections) joined += text;
  return utf8(joined, charset);
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
  const auto digit_at = [&](std::size_t i) -> std::uint32_t {
    return kBase64Digits[static_cast<unsigned char>(bytes[i])];
  };
  std::size_t at = 0;
  for (; at < bytes.size(); ++at) {
    // Most lines are groups of four digits, which are decoded at once.
    for (; digits == 0 && at + 4 <= bytes.size(); at += 4) {
      const std::uint32_t four[] = {digit_at(at), digit_at(at + 1), digit_at(at + 2), digit_at(at + 3)};
      if (((four[0] | four[1] | four[2] | four[3]) & kNoDigit) != 0) break;
      bits = four[0] << 18U | four[1] << 12U | four[2] << 6U | four[3];
      put(0);
    }
    if (at == bytes.size()) break;
    const std::uint32_t digit = digit_at(at);
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
    // A soft line break: the mark, followed by white space that may have been added in transit.
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

std::string decode_words(std::string_view value, const ToUtf8& utf8) {
  std::string decoded;
  std::string charset;
  std::string bytes;  // of consecutive words, which may split a character
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
