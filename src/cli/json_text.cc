#include "cli/json_text.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/utf8.h"

namespace refrain::cli {

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Utf8Character character = first_character(text);
    const std::string_view bytes = text.substr(0, character.size);
    text.remove_prefix(character.size);
    if (!character.valid) {
      out += "\xEF\xBF\xBD";
      continue;
    }
    switch (character.code) {
      case U'"': out += "\\\""; break;
      case U'\\': out += "\\\\"; break;
      case U'\n': out += "\\n"; break;
      case U'\r': out += "\\r"; break;
      case U'\t': out += "\\t"; break;
      default:
        if (character.code < 0x20 || (character.code >= 0x7F && character.code < 0xA0)) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(character.code));
        } else {
          out += bytes;
        }
    }
  }
  return out + '"';
}

JsonWriter& JsonWriter::key(std::string_view name) {
  if (comma_) text_ += ',';
  text_ += json_string(name);
  text_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::number(double value) { return raw(std::isfinite(value) ? fmt::format("{}", value) : "null"); }

JsonWriter& JsonWriter::raw(std::string_view value) {
  if (comma_) text_ += ',';
  text_ += value;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  if (comma_) text_ += ',';
  text_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  comma_ = true;
  return *this;
}

}  // namespace refrain::cli
