#include "corpus/files/table.h"

#include "refrain/utf8.h"

namespace refrain::corpus {

namespace {

void append_utf8(std::string& to, std::string_view text) {
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint character = decode_utf8(text, at);
    if (!character.valid()) {
      to.append(text, copied, at - copied);
      to += "\xEF\xBF\xBD";
      copied = at + character.size;
    }
    at += character.size;
  }
  to.append(text, copied);
}

}  // namespace

TableRows& TableRows::add(std::string_view value) {
  put(true).put(std::uint64_t{0});
  const std::size_t begin = bytes_.size();
  append_utf8(bytes_, value);
  const std::uint64_t size = bytes_.size() - begin;
  std::memcpy(bytes_.data() + begin - sizeof size, &size, sizeof size);
  return *this;
}

TableRows& TableRows::add(std::span<const ByteRange> value) {
  put(true).put(std::uint64_t{value.size()});
  for (const ByteRange& range : value) put(range.begin).put(range.end);
  return *this;
}

}  // namespace refrain::corpus
