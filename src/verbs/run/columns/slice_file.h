// Strings of any length in files of a run: the texts or the ids of all documents.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/file.h"
#include "refrain/text.h"
#include "verbs/run/dir.h"

namespace refrain::verbs::run {

// A file of a run that many threads write at once. It is cut into units, which go to several files in turn, because
// a file system lets only one thread at a time write to a file.
//
// Bytes need not wait until their position is known: they are written at any place and put in order later.
// NAME.order records which places hold which bytes.

// The bytes from `begin` to the beginning of the next stretch are stored from `place` on.
struct StripedStretch {
  std::uint64_t begin;
  std::uint64_t place;
};

class StripedWriter {
 public:
  StripedWriter(RunDir& dir, const std::string& name, MemoryBudget& budget);

  // Reserves `bytes` bytes and returns their place. The caller then writes them there. Both are thread-safe.
  std::uint64_t allot(std::uint64_t bytes) { return allotted_.fetch_add(bytes); }
  void write_at(std::uint64_t place, std::string_view bytes);
  // Appends the bytes at an allotted place to the order and returns their offset in it. One thread at a time.
  std::uint64_t put_in_order(std::uint64_t place, std::uint64_t bytes);
  void close(RunDir& dir);

 private:
  std::vector<RunFile> files_;
  RunFile order_;
  std::atomic<std::uint64_t> allotted_ = 0;
  Array<StripedStretch> stretches_;
  std::uint64_t size_ = 0;        // total bytes in order
  std::uint64_t next_place_ = 0;  // the place just after the last of them
};

// Thread-safe.
class StripedFile {
 public:
  // Opens what a StripedWriter wrote under that name.
  StripedFile(const RunDir& dir, const std::string& name, MemoryBudget& budget);
  // Opens a plain file.
  explicit StripedFile(const std::filesystem::path& path);

  // Fills `to`. Throws Error(corrupt) if the file ends before that.
  void read(std::uint64_t place, std::span<char> to) const;
  std::uint64_t size() const { return size_; }

 private:
  void read_stretch(std::uint64_t place, std::span<char> to) const;

  std::vector<std::unique_ptr<const RandomFile>> files_;
  std::optional<Array<StripedStretch>> stretches_;  // nullopt: a plain file
  std::uint64_t size_ = 0;
};

// Strings of any length, end to end in one file, with the end of each in another file. They hold the texts or the
// ids of all documents, for random access.
//
// Not thread-safe: use one per thread. Reading neighboring strings is cheap.
class SliceFile {
 public:
  SliceFile(const std::filesystem::path& bytes, const std::filesystem::path& ends);
  SliceFile(std::shared_ptr<const StripedFile> bytes, const std::filesystem::path& ends);

  std::uint64_t size() const { return ends_.size() / sizeof(std::uint64_t); }
  // The byte range of string `i` in the file of bytes.
  ByteRange range(std::uint64_t i);
  // String `i`. Valid until `scratch` changes.
  std::string_view get(std::uint64_t i, std::string& scratch);

 private:
  static constexpr std::uint64_t kEnds = 4096;

  std::shared_ptr<const StripedFile> bytes_;
  RandomFile ends_;
  std::uint64_t first_ = 0;  // number of the first string in held_; held_[0] is its beginning
  std::vector<std::uint64_t> held_;
  std::uint64_t window_begin_ = 0;  // offset of the bytes that were read ahead
  std::string window_;
  std::uint64_t last_end_ = 0;  // end of the string that was requested last
};

}  // namespace refrain::verbs::run
