// A file of a run that many threads write to at once. It is cut into units, which go to several files in turn: a file
// system lets one thread at a time write to a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/random_file.h"
#include "verbs/run/dir.h"

namespace refrain::verbs::run {

class StripedWriter {
 public:
  StripedWriter(RunDir& dir, const std::string& name);

  // Many threads at a time, each at its own place.
  void write_at(std::uint64_t place, std::string_view bytes);
  void close(RunDir& dir);

 private:
  std::vector<RunFile> files_;
};

// Thread-safe.
class StripedFile {
 public:
  // What a StripedWriter has written under that name.
  StripedFile(const RunDir& dir, const std::string& name);
  // A plain file.
  explicit StripedFile(const std::filesystem::path& path);

  // Fills `to`. Error(corrupt) where the file ends before.
  void read(std::uint64_t place, std::span<char> to) const;
  std::uint64_t size() const { return size_; }

 private:
  std::vector<std::unique_ptr<const RandomFile>> files_;
  std::uint64_t size_ = 0;
};

}  // namespace refrain::verbs::run
