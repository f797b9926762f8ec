// Plain types for text: a document's ordinal, a byte range, a batch of documents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

// A document's ordinal: its position in the input, from 0. Bad records count, so in a single-file input the ordinal
// is also the number of the line or row.
using DocId = std::uint64_t;

// A half-open range of bytes of the original document.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Documents side by side in one buffer: document i is text[offsets[i], offsets[i + 1]). This is the layout of Arrow's
// large_utf8, so batches can be exchanged with other systems without copying. This is a view: it does not own the
// bytes.
struct TextBatch {
  const char* text = nullptr;
  std::span<const std::int64_t> offsets;  // one more than there are documents; or empty

  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  std::string_view operator[](std::size_t i) const {
    return {text + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
  }
};

// Text that can be read repeatedly: all documents of an input, concatenated, whether they are in memory or on disk.
//
// Engines that go back to the text, to verify or extend a match, read it through this interface.
//
// Threads may share one.
class TextSource {
 public:
  TextSource() = default;
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;
  virtual ~TextSource() = default;

  virtual std::uint64_t size() const = 0;

  // Returns the `size` bytes from `begin`, which must be inside the text. kPadding more bytes after them may be read;
  // their contents are arbitrary. The bytes stay valid until `scratch`, which may be left unused, is passed again.
  virtual const char* read(std::uint64_t begin, std::size_t size, std::vector<char>& scratch) const = 0;
  static constexpr std::size_t kPadding = 128;
};

}  // namespace refrain
