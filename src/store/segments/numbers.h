// A table of 64-bit numbers in a page file: made while other things are written, and put behind them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/files/temp_space.h"
#include "store/page_file.h"

namespace refrain::store {

// Holds a few thousand numbers in memory, and the others on disk. Not thread-safe.
class NumbersWriter {
 public:
  explicit NumbersWriter(TempSpace& temp) : temp_(&temp) {}

  void add(std::uint64_t number);
  std::uint64_t size() const { return size_; }
  void write_to(PageWriter& out);

 private:
  void spill();

  TempSpace* temp_;
  std::optional<TempFile> file_;
  std::vector<std::uint64_t> numbers_;  // those that are not on disk
  std::uint64_t size_ = 0;
};

// Not thread-safe.
class NumbersReader {
 public:
  // Where the table lies in the file. Error(corrupt) where it does not end with the stream.
  NumbersReader(const PageReader& file, std::uint64_t begin, std::uint64_t size);
  NumbersReader(const NumbersReader& other) = default;

  std::uint64_t size() const { return size_; }
  std::uint64_t operator[](std::uint64_t i);
  // Of a table of places, the last of which is the end: where the thing `i` lies. Error(corrupt) where that cannot be.
  struct Range {
    std::uint64_t begin;
    std::uint64_t bytes;
  };
  Range range(std::uint64_t i);
  std::uint64_t bytes_read() const { return file_.bytes_read(); }

 private:
  PageReader file_;  // its own, so that the others keep their pages
  std::uint64_t begin_;
  std::uint64_t size_;
};

// The number `i` of the tail of a page file.
std::uint64_t tail_number(const PageReader& file, std::size_t i);
// Error(corrupt) where a file is not the one that the manifest names.
void expect_named(const PageReader& file, const PageFileId& id);

}  // namespace refrain::store
