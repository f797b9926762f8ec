// A checksum for whatever is written to be read again: 64 bits of XXH3. Texts are told apart by 128 (refrain/digest.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "refrain/digest.h"

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

}  // namespace refrain
