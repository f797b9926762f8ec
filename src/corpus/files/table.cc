#include "corpus/files/table.h"

#include "base/json.h"

namespace refrain::corpus {

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
