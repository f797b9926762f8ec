// Keeps the best of any number of values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace refrain::verbs::dedup {

// Inserts a value into `list`, which is ordered by `before` and keeps the first `most`.
template <class T, class Before>
void keep_best(std::vector<T>& list, const T& one, std::size_t most, Before before) {
  if (list.size() == most && !before(one, list.back())) return;
  list.insert(std::upper_bound(list.begin(), list.end(), one, before), one);
  if (list.size() > most) list.pop_back();
}

}  // namespace refrain::verbs::dedup
