#include "store/shuffle_layout.h"

#include <hwy/contrib/sort/vqsort.h>

namespace refrain::store {

void sort_numbers(std::span<std::uint64_t> numbers) {
  hwy::Sorter()(numbers.data(), numbers.size(), hwy::SortAscending());
}

}  // namespace refrain::store
