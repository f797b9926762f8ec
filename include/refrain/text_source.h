// Text that can be read repeatedly: all documents of an input, concatenated, whether they are in memory or on disk.
//
// Engines that go back to the text, to verify or extend a match, read it through this interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

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
