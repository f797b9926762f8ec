#include "base/json.h"

#include <fmt/format.h>

#include <utility>

#include "refrain/utf8.h"

namespace refrain {

void append_json_escape(std::string& out, char c) {
  constexpr std::string_view kControls = "\b\t\n\f\r";
  constexpr std::string_view kLetters = "btnfr";
  if (c == '"' || c == '\\')
    (out += '\\') += c;
  else if (const std::size_t short_one = kControls.find(c); short_one != std::string_view::npos)
    (out += '\\') += kLetters[short_one];
  else
    out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const CodePoint character = decode_utf8(text, 0);
    const char c = text.front();
    if (!character.valid())
      out += "\xEF\xBF\xBD";
    else if (is_json_special(c) || c == 0x7F)
      append_json_escape(out, c);
    else
      out += text.substr(0, character.size);
    text.remove_prefix(character.size);
  }
  return out + "\"";
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  text_ += json_string(name) + ": ";
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
