// A file of a run that many threads write to at once. It is cut into units, which go to several files in turn: a file
// system lets one thread at a time write to a file.
//
// What is written need not wait until it is known where it belongs: it is written to any place, and put in order later.
// NAME.order says which stretch of places holds which bytes.
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
#include "base/files/random_file.h"
#include "verbs/run/dir.h"

namespace refrain::verbs::run {

// So many bytes from `begin` on, up to the next stretch, lie from `place` on.
struct StripedStretch {
  std::uint64_t begin;
  std::uint64_t place;
};

class StripedWriter {
 public:
  StripedWriter(RunDir& dir, const std::string& name, MemoryBudget& budget);

  // A place for so many bytes, which are then to be written there. Both by many threads at a time.
  std::uint64_t allot(std::uint64_t bytes) { return allotted_.fetch_add(bytes); }
  void write_at(std::uint64_t place, std::string_view bytes);
  // One thread at a time: what was allotted that place follows what was put in order before. Returns where it begins.
  std::uint64_t put_in_order(std::uint64_t place, std::uint64_t bytes);
  void close(RunDir& dir);

 private:
  std::vector<RunFile> files_;
  RunFile order_;
  std::atomic<std::uint64_t> allotted_ = 0;
  Array<StripedStretch> stretches_;
  std::uint64_t size_ = 0;        // of what is in order
  std::uint64_t next_place_ = 0;  // behind the last of it
};

// Thread-safe.
class StripedFile {
 public:
  // What a StripedWriter has written under that name.
  StripedFile(const RunDir& dir, const std::string& name, MemoryBudget& budget);
  // A plain file.
  explicit StripedFile(const std::filesystem::path& path);

  // Fills `to`. Error(corrupt) where the file ends before.
  void read(std::uint64_t place, std::span<char> to) const;
  std::uint64_t size() const { return size_; }

 private:
  void read_stretch(std::uint64_t place, std::span<char> to) const;

  std::vector<std::unique_ptr<const RandomFile>> files_;
  std::optional<Array<StripedStretch>> stretches_;  // none: of a plain file
  std::uint64_t size_ = 0;
};

}  // namespace refrain::verbs::run
