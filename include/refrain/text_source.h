// Text that can be read again: all documents of an input, concatenated, wherever they are stored.
//
// Engines that go back to the text (to verify or extend a match) read it through this, whether it is in memory or on
// disk.
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

  // The `size` bytes from `begin`, which must be inside the text; kPadding more bytes after them may be read, with any
  // contents. Valid until `scratch`, which may be left unused, is passed again.
  virtual const char* read(std::uint64_t begin, std::size_t size, std::vector<char>& scratch) const = 0;
  static constexpr std::size_t kPadding = 128;
};

}  // namespace refrain
