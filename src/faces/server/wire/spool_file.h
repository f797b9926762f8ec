// A file without a name, for what does not fit in memory: gone when its owner is, however the process ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

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

// Where all such files go, and what they hold together. Thread-safe.
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
