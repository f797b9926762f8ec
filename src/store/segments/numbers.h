// A table of 64-bit numbers in a page file: collected while other data is written, and appended after it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/files/temp.h"
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
  // `begin` and `size` say where the table is in the file. Throws Error(corrupt) if it does not end with the stream.
  NumbersReader(const PageReader& file, std::uint64_t begin, std::uint64_t size);
  NumbersReader(const NumbersReader& other) = default;

  std::uint64_t size() const { return size_; }
  std::uint64_t operator[](std::uint64_t i);
  // For a table of offsets, the last of which is the end: the location of thing `i`. Throws Error(corrupt) if it is
  // impossible.
  struct Range {
    std::uint64_t begin;
    std::uint64_t bytes;
  };
  Range range(std::uint64_t i);
  std::uint64_t bytes_read() const { return file_.bytes_read(); }

 private:
  PageReader file_;  // a reader of its own, so that other readers keep their pages
  std::uint64_t begin_;
  std::uint64_t size_;
};

// Number `i` in the tail of a page file.
std::uint64_t tail_number(const PageReader& file, std::size_t i);
// Throws Error(corrupt) if the file is not the one that the manifest names.
void check_file_id(const PageReader& file, const PageFileId& id);

}  // namespace refrain::store
