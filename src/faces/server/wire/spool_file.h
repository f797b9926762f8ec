// A nameless file for data that does not fit in memory. It disappears with its owner, even if the process is killed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace refrain::server {

// One thread at a time may append or clear. Meanwhile, others may read bytes whose append() has returned.
class SpoolFile {
 public:
  // Creates the file in `folder`, or in $TMPDIR or /tmp if `folder` is empty. Throws Error(io) if that fails, or
  // Error(over_budget) if the disk is full.
  explicit SpoolFile(const std::string& folder);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  // Throws Error(over_budget) if the disk is full, and Error(io) for other failures.
  void append(std::string_view bytes);
  // Reads from `offset` on, until `buffer` is full or the file ends. Returns the number of bytes.
  std::size_t read(std::uint64_t offset, std::span<char> buffer) const;
  void clear();
  std::uint64_t size() const { return size_; }

 private:
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

// The folder of all spool files, and the disk space that they share. Callers reserve space before they append.
// Thread-safe.
class SpoolSpace {
 public:
  SpoolSpace(std::string folder, std::uint64_t most) : folder_(std::move(folder)), most_(most) {}
  const std::string& folder() const { return folder_; }
  bool take(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) { held_ -= bytes; }
  std::uint64_t held() const { return held_; }

 private:
  const std::string folder_;
  const std::uint64_t most_;
  std::atomic<std::uint64_t> held_{0};
};

}  // namespace refrain::server
