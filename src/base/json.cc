#include "base/json.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "refrain/json_text.h"
#include "refrain/utf8.h"

namespace refrain {

namespace {

// Whether `c` is an ASCII character that needs no escape in JSON. The signedness of char differs between machines, so
// its bits are tested.
bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
}

}  // namespace

void append_json_escape(std::string& out, char c) {
  constexpr std::string_view kControls = "\b\t\n\f\r";
  constexpr std::string_view kLetters = "btnfr";
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += '\\';
  if (c == '"' || c == '\\') {
    out += c;
  } else if (const std::size_t at = kControls.find(c); at != std::string_view::npos) {
    out += kLetters[at];
  } else {
    const auto byte = static_cast<unsigned char>(c);
    ((out += "u00") += kDigits[byte >> 4U]) += kDigits[byte & 15U];
  }
}

void append_utf8(std::string& out, std::string_view text) {
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint character = decode_utf8(text, at);
    if (!character.valid()) {
      out.append(text, copied, at - copied);
      out += "\xEF\xBF\xBD";
      copied = at + character.size;
    }
    at += character.size;
  }
  out.append(text, copied);
}

void append_json_escaped(std::string& out, std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    out.append(text, at, end - at);
    at = end;
    if (at == text.size()) break;
    const CodePoint character = decode_utf8(text, at);
    if (!character.valid())
      out += "\xEF\xBF\xBD";
    else if (character.size == 1)
      append_json_escape(out, text[at]);
    else
      out.append(text, at, character.size);
    at += character.size;
  }
}

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  append_json_escaped(out, text);
  out += '"';
}

std::string json_text(std::string_view text) {
  std::string out;
  append_json_text(out, text);
  return out;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += json_text(name) + ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  return raw(fmt::format("{:.6g}", number));
}

JsonWriter& JsonWriter::raw(std::string_view token) {
  separate();
  text_ += token;
  return *this;
}

void JsonWriter::separate() {
  if (std::exchange(after_key_, false)) return;
  if (!std::exchange(first_, false)) text_ += ',';
  if (depth_ != 0) new_line();
}

void JsonWriter::new_line() {
  text_ += '\n';
  text_.append(2 * std::size_t{depth_}, ' ');
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  --depth_;
  if (!std::exchange(first_, false)) new_line();
  text_ += bracket;
  return *this;
}

}  // namespace refrain
