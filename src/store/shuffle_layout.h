// The properties of a record that the shuffle needs: where the next one begins, how to copy it, and which of two
// comes first.
//
// There are two kinds. A *fixed* record is a C++ type; all of its properties are known to the compiler and cost
// nothing. A *row* is a string of bytes whose width is known only at run time, such as an n-gram with its place. For
// both, memory is an array of `Element`, with `stride()` elements per record.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

namespace refrain::store {

// A group of equal keys, or a part of one.
template <class Record>
struct Run {
  std::uint64_t key;
  std::span<const Record> records;
  bool first;  // whether it is the first run of its group
  bool last;
};

// The same for rows.
struct RowRun {
  std::uint64_t key;
  const std::byte* data;
  std::size_t row_bytes;
  std::size_t size;
  bool first;
  bool last;

  std::span<const std::byte> operator[](std::size_t i) const { return {data + i * row_bytes, row_bytes}; }
};

// Record is trivially copyable, and has operator< if values are to be ordered.
template <class Record>
struct FixedLayout {
  using Element = Record;
  using View = const Record&;
  using Run = refrain::store::Run<Record>;
  static constexpr std::size_t kOrderBytes = 0;  // bytes per record that sort() needs

  static constexpr std::size_t stride() { return 1; }
  static constexpr std::size_t record_bytes() { return sizeof(Record); }
  static View view(const Record* record) { return *record; }
  static void write(Record* to, View record) { *to = record; }
  static bool less(const Record* a, const Record* b) { return *a < *b; }
  static Run run(std::uint64_t key, const Record* begin, std::size_t size, bool first, bool last) {
    return {key, {begin, size}, first, last};
  }
  template <class Less>
  static void sort(Record* begin, std::size_t size, std::uint32_t* /*order*/, Less comes_before) {
    std::sort(begin, begin + size, [&](const Record& a, const Record& b) { return comes_before(&a, &b); });
  }
};

// Rows are ordered as strings of unsigned bytes.
class RowLayout {
 public:
  using Element = std::byte;
  using View = std::span<const std::byte>;
  using Run = RowRun;
  static constexpr std::size_t kOrderBytes = sizeof(std::uint32_t);

  explicit RowLayout(std::size_t row_bytes) : row_bytes_(row_bytes) {}

  std::size_t stride() const { return row_bytes_; }
  std::size_t record_bytes() const { return row_bytes_; }
  View view(const std::byte* row) const { return {row, row_bytes_}; }
  void write(std::byte* to, View row) const { std::memcpy(to, row.data(), row_bytes_); }
  bool less(const std::byte* a, const std::byte* b) const { return std::memcmp(a, b, row_bytes_) < 0; }
  Run run(std::uint64_t key, const std::byte* begin, std::size_t size, bool first, bool last) const {
    return {key, begin, row_bytes_, size, first, last};
  }

  // Sorts row numbers, then moves each row to its place, along the cycles of the permutation, with one row set aside.
  template <class Less>
  void sort(std::byte* begin, std::size_t size, std::uint32_t* order, Less comes_before) const {
    const auto row = [&](std::size_t i) { return begin + i * row_bytes_; };
    std::iota(order, order + size, 0U);
    std::sort(order, order + size, [&](std::uint32_t a, std::uint32_t b) { return comes_before(row(a), row(b)); });
    std::vector<std::byte> aside(row_bytes_);
    for (std::uint32_t i = 0; i < size; ++i) {
      if (order[i] == i) continue;
      std::memcpy(aside.data(), row(i), row_bytes_);
      std::uint32_t hole = i;
      for (std::uint32_t from = order[hole]; from != i; from = order[hole]) {
        std::memcpy(row(hole), row(from), row_bytes_);
        order[hole] = hole;
        hole = from;
      }
      std::memcpy(row(hole), aside.data(), row_bytes_);
      order[hole] = hole;
    }
  }

 private:
  std::size_t row_bytes_;
};

// Records that are single numbers, whose high bits are the key. The shuffle sorts them as numbers, with SIMD.

// Sorts in ascending order, in place.
void sort_numbers(std::span<std::uint64_t> numbers);

struct NumberLayout : FixedLayout<std::uint64_t> {
  static void sort_all(std::uint64_t* begin, std::size_t size) { sort_numbers({begin, size}); }
};

struct HighBits {
  unsigned shift;
  std::uint64_t operator()(std::uint64_t number) const { return number >> shift; }
};

}  // namespace refrain::store
