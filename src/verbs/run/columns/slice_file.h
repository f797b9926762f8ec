// Strings of any length, end to end in one file, with the end of each in another file. They hold the texts or the
// ids of all documents, for random access.
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
