// A small writer of JSON, for what the command line prints to machines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refrain::cli {

// `text` as a JSON string, quotes included. Bytes that are no UTF-8 become U+FFFD, one each.
std::string json_string(std::string_view text);

// Puts the commas where they belong; that objects and arrays are closed in order is the caller's part. In an object
// every value follows a key().
class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);

  JsonWriter& string(std::string_view value) { return raw(json_string(value)); }
  JsonWriter& number(std::uint64_t value) { return raw(std::to_string(value)); }
  JsonWriter& number(double value);
  JsonWriter& boolean(bool value) { return raw(value ? "true" : "false"); }
  JsonWriter& null() { return raw("null"); }

  const std::string& text() const { return text_; }

 private:
  JsonWriter& raw(std::string_view value);
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);

  std::string text_;
  bool comma_ = false;  // the next value or key is not the first
};

}  // namespace refrain::cli
