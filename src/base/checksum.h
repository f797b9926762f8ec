// A checksum for whatever is written to be read again: 64 bits of XXH3.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string_view>

namespace refrain {

std::uint64_t checksum(std::string_view bytes);

// The same of bytes that come piece by piece.
class RunningChecksum {
 public:
  RunningChecksum();
  void add(std::string_view bytes);
  std::uint64_t value() const;

 private:
  struct Free {
    void operator()(void* state) const;
  };
  std::unique_ptr<void, Free> state_;
};

// 128 bits of it, by which texts are told apart.
struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  friend auto operator<=>(const Digest&, const Digest&) = default;
};
Digest digest(std::string_view bytes);

}  // namespace refrain
