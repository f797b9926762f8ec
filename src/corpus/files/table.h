// Rows with typed columns, on their way into a Parquet file: filled by any thread, written in order
// (parquet_module.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/text.h"

namespace refrain::corpus {

enum class ColumnType : std::uint8_t {
  flag,    // boolean
  count,   // integer, signed because Spark has no other
  hash,    // unsigned integer
  real,    // double
  text,    // UTF-8
  ranges,  // list of structs of begin and end
  group,   // struct of `members`
};

struct TableColumn {
  std::string name;
  ColumnType type = ColumnType::text;
  bool optional = false;  // may be null
  bool distinct = false;  // values seldom recur
  std::vector<TableColumn> members = {};
};

// The cells of rows, row by row: one per column, in order. The cell of a group is followed by those of its members,
// unless it is null.
class TableRows {
 public:
  void clear() { bytes_.clear(); }
  TableRows& null() { return put(false); }
  TableRows& group() { return put(true); }
  TableRows& add(bool value) { return put(true).put(value); }
  TableRows& add(std::uint64_t value) { return put(true).put(value); }
  TableRows& add(double value) { return put(true).put(value); }
  TableRows& add(std::string_view value);  // bytes that are not UTF-8 become U+FFFD
  TableRows& add(std::span<const ByteRange> value);
  template <class T>
  TableRows& add(const std::optional<T>& value) {
    return value ? add(*value) : null();
  }

  std::string_view bytes() const { return bytes_; }

 private:
  template <class T>
  TableRows& put(const T& value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }

  std::string bytes_;
};

// Reads the bytes of TableRows back, cell by cell.
class TableCells {
 public:
  explicit TableCells(std::string_view bytes) : bytes_(bytes) {}
  std::size_t left() const { return bytes_.size(); }
  // Begins the next cell. False: it is null. Otherwise its value follows: read it with one of the functions below.
  bool next() { return value<bool>(); }
  template <class T>
  T value() {
    T read;
    std::memcpy(&read, take(sizeof read).data(), sizeof read);
    return read;
  }
  std::string_view text() { return take(value<std::uint64_t>()); }

 private:
  std::string_view take(std::size_t size) {
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view bytes_;
};

}  // namespace refrain::corpus
