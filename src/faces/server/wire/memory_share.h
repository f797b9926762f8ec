// A part of the server's memory that all connections share: one for request bodies, and one for answers.
#pragma once

#include <atomic>
#include <cstddef>

namespace refrain::server {

// Thread-safe.
class MemoryShare {
 public:
  explicit MemoryShare(std::size_t most) : most_(most) {}
  // Reserves `bytes`. Returns false if there is no room for them now.
  bool take(std::size_t bytes) {
    if (held_.fetch_add(bytes) + bytes <= most_) return true;
    held_ -= bytes;
    return false;
  }
  // Whether there is room now. Another thread may take it first.
  bool has_room(std::size_t bytes) const { return held_ + bytes <= most_; }
  void give_back(std::size_t bytes) { held_ -= bytes; }
  std::size_t held() const { return held_; }
  std::size_t most() const { return most_; }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> held_{0};
};

}  // namespace refrain::server
