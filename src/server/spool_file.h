// A file without a name, for what does not fit in memory: gone when its owner is, however the process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace refrain::server {

// One thread appends or clears while others read what append() has returned for.
class SpoolFile {
 public:
  // In `folder`, or where the system keeps such files ($TMPDIR, /tmp) if that is empty. Error(io) where that cannot be.
  explicit SpoolFile(const std::string& folder);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  // A full disk is Error(over_budget).
  void append(std::string_view bytes);
  // What is there from `offset` on, as far as `buffer` goes and the file.
  std::size_t read(std::uint64_t offset, std::span<char> buffer) const;
  void clear();
  std::uint64_t size() const { return size_; }

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace refrain::server
