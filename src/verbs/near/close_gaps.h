// Joins lists that the partitions of a shuffle have written with gaps between them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/array.h"

namespace refrain::verbs::near {

// Moves the lists, which begin at begins[p] and have sizes[p] elements, together to the front. Returns the total
// number of elements.
template <class T>
std::size_t close_gaps(Array<T>& list, const std::vector<std::size_t>& begins, const std::vector<std::size_t>& sizes) {
  std::size_t end = 0;
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    if (end != begins[p]) std::copy_n(list.data() + begins[p], sizes[p], list.data() + end);
    end += sizes[p];
  }
  return end;
}

}  // namespace refrain::verbs::near
