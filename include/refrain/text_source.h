// Text that can be read again: all documents of an input, end to end, wherever they are kept.
//
// Engines that go back to the text (to verify, to extend a match) see it through this, and need not know whether it
// lies in memory or on disk.
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

  // The bytes from `begin` on, `size` of them, all inside the text; kPadding more behind them may be read, whatever
  // they hold. Valid until `scratch`, which need not be used, is given again.
  virtual const char* read(std::uint64_t begin, std::size_t size, std::vector<char>& scratch) const = 0;
  static constexpr std::size_t kPadding = 128;
};

}  // namespace refrain
