// Strings of any length, end to end in one file, and in another where each of them ends: the texts or the ids of all
// documents, to be read here and there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/random_file.h"
#include "refrain/text.h"
#include "verbs/run/columns/striped_file.h"

namespace refrain::verbs::run {

// Not thread-safe; one a thread. Cheap for neighbours.
class SliceFile {
 public:
  SliceFile(const std::filesystem::path& bytes, const std::filesystem::path& ends);
  SliceFile(std::shared_ptr<const StripedFile> bytes, const std::filesystem::path& ends);

  std::uint64_t size() const { return ends_.size() / sizeof(std::uint64_t); }
  // Where string i lies in the file of bytes.
  ByteRange range(std::uint64_t i);
  // String i. Valid until `scratch` changes.
  std::string_view get(std::uint64_t i, std::string& scratch);

 private:
  static constexpr std::uint64_t kEnds = 4096;

  std::shared_ptr<const StripedFile> bytes_;
  RandomFile ends_;
  std::uint64_t first_ = 0;  // of those in held_: held_[0] is where string first_ begins
  std::vector<std::uint64_t> held_;
  std::uint64_t window_begin_ = 0;  // of what was read ahead of the bytes
  std::string window_;
  std::uint64_t last_end_ = 0;  // of the string that was asked for last
};

}  // namespace refrain::verbs::run
