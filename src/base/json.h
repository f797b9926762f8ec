// Writes JSON, indented for people, into a string. Keys keep the order in which they are written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "refrain/json_text.h"

namespace refrain {

// Whether `c` must be escaped in a JSON string: a quote, a backslash, a control character.
constexpr bool is_json_special(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

// Appends the text, with U+FFFD in place of each byte that is not UTF-8, as in a JSON string.
void append_utf8(std::string& out, std::string_view text);

class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text) { return raw(json_text(text)); }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth) { return raw(truth ? "true" : "false"); }
  JsonWriter& value(double number);
  JsonWriter& null() { return raw("null"); }
  template <class Integer>
    requires std::is_integral_v<Integer>
  JsonWriter& value(Integer number) {
    return raw(std::to_string(number));
  }
  template <class Value>
  JsonWriter& field(std::string_view name, const Value& v) {
    key(name);
    return value(v);
  }

  // Returns the JSON text, with a line break at its end.
  std::string take() && { return std::move(text_) + "\n"; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& raw(std::string_view token);
  void separate();
  void new_line();

  std::string text_;
  unsigned depth_ = 0;
  bool first_ = true;       // nothing was written to this object or array yet
  bool after_key_ = false;  // a key was written, and its value comes next
};

}  // namespace refrain
