// How one partition of a shuffle is grouped in memory.
//
// A counting sort by the leading bits that vary at all scatters the records into buckets that hold a few each (or,
// where the keys have no bits left, exactly one group); what is left to sort is sorted there, while the bucket is in
// the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace refrain::store {

// Ascending by key; records of a key by their own order if `order_values`, else as they come.
template <class Layout, class KeyOf>
struct RecordOrder {
  using Element = typename Layout::Element;

  Layout layout;
  KeyOf key_of;
  bool order_values;

  std::uint64_t key(const Element* record) const { return key_of(layout.view(record)); }
};

// Where grouping `count` records happens.
template <class Element>
struct GroupingRoom {
  Element* sorted;       // `count` records
  std::size_t* begins;   // most_buckets(count) + 1
  std::uint32_t* order;  // `count` numbers, where Layout::kOrderBytes is not 0
};

inline unsigned most_bucket_bits(std::size_t count) {
  return std::min(static_cast<unsigned>(std::bit_width(count)), 16U);
}
inline std::size_t most_buckets(std::size_t count) {
  return std::size_t{1} << most_bucket_bits(count);
}

// A layout may have its own way: sort_all(begin, count), for records that are one element and whose own order is that
// of their keys. It may also leave groups out that nobody wants, such as single records: pick_groups(begin, count)
// moves the others of a sorted bucket to its beginning and returns how many records they are. Else:
//
// Scatters `count` records, which for_each(fn) shows to fn(record) each time it is called, into room.sorted; sorts each
// bucket and calls on_bucket(begin, size, several_keys) for it, in ascending order.
template <class Layout, class KeyOf, class ForEach, class OnBucket>
void sort_into_buckets(const RecordOrder<Layout, KeyOf>& order, std::size_t count, ForEach for_each,
                       const GroupingRoom<typename Layout::Element>& room, OnBucket on_bucket) {
  using Element = typename Layout::Element;
  const std::size_t stride = order.layout.stride();
  if constexpr (requires { Layout::sort_all(room.sorted, count); }) {
    Element* end = room.sorted;
    for_each([&](const Element* record) { *end++ = *record; });
    Layout::sort_all(room.sorted, count);
    on_bucket(room.sorted, count, true);
    return;
  }
  std::uint64_t varying = 0;
  std::optional<std::uint64_t> first_key;
  for_each([&](const Element* record) {
    const std::uint64_t key = order.key(record);
    if (!first_key) first_key = key;
    varying |= key ^ *first_key;
  });
  const auto width = static_cast<unsigned>(std::bit_width(varying));
  const unsigned bits = std::min(width, most_bucket_bits(count));
  const unsigned shift = width - bits;  // below 64: with 64 bits that vary some are bucket bits
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const auto bucket_of = [&](const Element* record) {
    return static_cast<std::size_t>(order.key(record) >> shift & mask);
  };
  std::size_t* const begins = room.begins;
  const std::size_t buckets = std::size_t{1} << bits;
  std::fill(begins, begins + buckets + 1, 0);
  for_each([&](const Element* record) { ++begins[bucket_of(record) + 1]; });
  for (std::size_t b = 1; b <= buckets; ++b) begins[b] += begins[b - 1];
  // begins[b] runs ahead to the end of its bucket, which is the begin of the next.
  Element* const sorted = room.sorted;
  for_each([&](const Element* record) {
    order.layout.write(sorted + begins[bucket_of(record)]++ * stride, order.layout.view(record));
  });
  const auto by_key = [&](const Element* a, const Element* b) { return order.key(a) < order.key(b); };
  const auto by_key_and_value = [&](const Element* a, const Element* b) {
    const std::uint64_t key_a = order.key(a);
    const std::uint64_t key_b = order.key(b);
    return key_a != key_b ? key_a < key_b : order.layout.less(a, b);
  };
  std::size_t begin = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    const std::size_t size = begins[b] - begin;
    if (size == 0) continue;
    Element* const bucket = sorted + begin * stride;
    if (size > 1 && order.order_values)
      order.layout.sort(bucket, size, room.order, by_key_and_value);
    else if (size > 1 && shift != 0)
      order.layout.sort(bucket, size, room.order, by_key);
    on_bucket(bucket, size, shift != 0);
    begin = begins[b];
  }
}

// Hands the groups of a sorted bucket out, in runs of at most `run_records`.
template <class Layout, class KeyOf, class Emit>
void emit_groups(const RecordOrder<Layout, KeyOf>& order, const typename Layout::Element* bucket, std::size_t size,
                 bool several_keys, std::size_t run_records, Emit& emit) {
  const std::size_t stride = order.layout.stride();
  while (size != 0) {
    const std::uint64_t key = order.key(bucket);
    std::size_t group = size;
    if (several_keys) {
      group = 1;
      while (group < size && order.key(bucket + group * stride) == key) ++group;
    }
    size -= group;
    bool first = true;
    while (group != 0) {
      const std::size_t run = std::min(group, run_records);
      group -= run;
      emit(order.layout.run(key, bucket, run, std::exchange(first, false), group == 0));
      bucket += run * stride;
    }
  }
}

}  // namespace refrain::store
