// A list of values for each text of a column, in Arrow's large_list layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

// List i is values[offsets[i], offsets[i + 1]). `offsets` has one entry more than there are lists.
template <class T>
struct ListColumn {
  std::vector<std::int64_t> offsets = {0};
  std::vector<T> values = {};

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const T> operator[](std::size_t i) const {
    return std::span<const T>(values).subspan(static_cast<std::size_t>(offsets[i]),
                                              static_cast<std::size_t>(offsets[i + 1] - offsets[i]));
  }
};

}  // namespace refrain
