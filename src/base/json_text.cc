#include "refrain/json_text.h"

#include <cstddef>

#include "refrain/utf8.h"

namespace refrain {

namespace {

// Of ASCII, and itself in JSON. A char is signed on some machines and not on others, so its bits are looked at.
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

}  // namespace refrain
