#include "base/json.h"

#include <fmt/format.h>

#include <utility>

#include "refrain/json_text.h"

namespace refrain {

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
