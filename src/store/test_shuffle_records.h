// The records that the tests of the shuffle sort.
#pragma once

#include <compare>
#include <cstdint>

#include "refrain/context.h"

namespace refrain::store {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

struct Record {
  std::uint64_t key;
  std::uint64_t value;
  friend auto operator<=>(const Record&, const Record&) = default;
};

struct KeyOf {
  template <class R>
  std::uint64_t operator()(const R& record) const {
    return record.key;
  }
};

inline Context with_threads(unsigned threads) {
  Context context;
  context.threads = threads;
  context.memory_bytes = std::uint64_t{1} << 30U;
  return context;
}

}  // namespace refrain::store
