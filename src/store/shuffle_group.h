// Groups one partition of a shuffle in memory.
//
// A counting sort by the leading bits that differ at all scatters the records into buckets that hold a few each (or,
// if the keys have no bits left, exactly one group). Each bucket is then sorted while it is in the cache.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace refrain::store {

// The order of records: ascending by key; records of a key by their own order if `order_values` is set, else in any
// order.
template <class Layout, class KeyOf>
struct RecordOrder {
  using Element = typename Layout::Element;

  Layout layout;
  KeyOf key_of;
  bool order_values;

  std::uint64_t key(const Element* record) const { return key_of(layout.view(record)); }
};

// The memory for grouping `count` records.
template <class Element>
struct GroupingRoom {
  Element* sorted;       // `count` records
  std::size_t* begins;   // max_buckets(count) + 1
  std::uint32_t* order;  // `count` numbers, unless Layout::kOrderBytes is 0
};

inline unsigned max_bucket_bits(std::size_t count) {
  return std::min(static_cast<unsigned>(std::bit_width(count)), 16U);
}
inline std::size_t max_buckets(std::size_t count) {
  return std::size_t{1} << max_bucket_bits(count);
}

// The blocks of a partition, wherever they are stored. Each holds whole records.
template <class Element>
using RecordBlocks = std::vector<std::span<const Element>>;

// The result of sorting in a GroupingRoom: bucket b ends at begins[b], where the next one begins. Buckets may be
// empty.
struct Buckets {
  std::size_t count;
  bool several_keys;  // whether a bucket may hold several keys, one after the other
};

// Scatters the `count` records of `blocks` into buckets in room.sorted, in ascending order, and sorts each bucket.
//
// A layout can replace this by a function of its own, sort_all(begin, count), if its records are single elements
// whose own order is that of their keys. A layout can also drop groups that are not wanted, such as single records:
// pick_groups(begin, count) moves the other records of a sorted bucket to its beginning and returns their number.
template <class Layout, class KeyOf>
Buckets sort_into_buckets(const RecordOrder<Layout, KeyOf>& order, std::size_t count,
                          const RecordBlocks<typename Layout::Element>& blocks,
                          const GroupingRoom<typename Layout::Element>& room) {
  using Element = typename Layout::Element;
  const std::size_t stride = order.layout.stride();
  if constexpr (requires { Layout::sort_all(room.sorted, count); }) {
    Element* end = room.sorted;
    for (const std::span<const Element> block : blocks) end = std::copy(block.begin(), block.end(), end);
    Layout::sort_all(room.sorted, count);
    room.begins[0] = count;
    return {1, true};
  }
  const auto for_each = [&](auto fn) {
    for (const std::span<const Element> block : blocks) {
      const Element* const end = block.data() + block.size();
      for (const Element* record = block.data(); record != end; record += stride) fn(record);
    }
  };
  std::uint64_t varying = 0;
  const std::uint64_t first_key = order.key(blocks.front().data());
  for_each([&](const Element* record) { varying |= order.key(record) ^ first_key; });
  const auto width = static_cast<unsigned>(std::bit_width(varying));
  const unsigned bits = std::min(width, max_bucket_bits(count));
  const unsigned shift = width - bits;  // below 64: if all 64 bits vary, some are bucket bits
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  const auto bucket_of = [&](const Element* record) {
    return static_cast<std::size_t>(order.key(record) >> shift & mask);
  };
  std::size_t* const begins = room.begins;
  const std::size_t buckets = std::size_t{1} << bits;
  std::fill(begins, begins + buckets + 1, 0);
  for_each([&](const Element* record) { ++begins[bucket_of(record) + 1]; });
  for (std::size_t b = 1; b <= buckets; ++b) begins[b] += begins[b - 1];
  // begins[b] advances to the end of its bucket, which is the beginning of the next one.
  Element* const sorted = room.sorted;
  for_each([&](const Element* record) {
    order.layout.write(sorted + begins[bucket_of(record)]++ * stride, order.layout.view(record));
  });
  if (shift == 0 && !order.order_values) return {buckets, false};
  const auto comes_before = [&](const Element* a, const Element* b) {
    const std::uint64_t key_a = order.key(a);
    const std::uint64_t key_b = order.key(b);
    return key_a != key_b ? key_a < key_b : order.order_values && order.layout.less(a, b);
  };
  std::size_t begin = 0;
  for (std::size_t b = 0; b < buckets; ++b) {
    if (begins[b] - begin > 1) order.layout.sort(sorted + begin * stride, begins[b] - begin, room.order, comes_before);
    begin = begins[b];
  }
  return {buckets, shift != 0};
}

// Calls emit() with the groups of sorted buckets, in runs of at most `run_records`.
template <class Layout, class KeyOf, class Emit>
void emit_groups(const RecordOrder<Layout, KeyOf>& order, const Buckets& buckets,
                 const GroupingRoom<typename Layout::Element>& room, std::size_t run_records, Emit emit) {
  const std::size_t stride = order.layout.stride();
  std::size_t begin = 0;
  for (std::size_t b = 0; b < buckets.count; ++b) {
    auto* bucket = room.sorted + begin * stride;
    std::size_t size = room.begins[b] - begin;
    begin = room.begins[b];
    if constexpr (requires { order.layout.pick_groups(bucket, size); }) size = order.layout.pick_groups(bucket, size);
    while (size != 0) {
      const std::uint64_t key = order.key(bucket);
      std::size_t group = size;
      if (buckets.several_keys) {
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
}

}  // namespace refrain::store
