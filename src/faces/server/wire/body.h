// The body of a request, as far as it has come, and the memory that all of them take together.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace refrain::server {

class BodySpace {
 public:
  explicit BodySpace(std::size_t most) : most_(most) {}
  bool take(std::size_t bytes) {
    if (held_.fetch_add(bytes) + bytes <= most_) return true;
    held_ -= bytes;
    return false;
  }
  void give_back(std::size_t bytes) { held_ -= bytes; }
  std::size_t held() const { return held_; }

 private:
  const std::size_t most_;
  std::atomic<std::size_t> held_{0};
};

class Body {
 public:
  explicit Body(std::shared_ptr<BodySpace> space) : space_(std::move(space)) {}
  ~Body() { clear(); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  // False where all bodies together would take too much.
  bool append(std::string_view bytes) {
    if (!space_->take(bytes.size())) return false;
    bytes_ += bytes;
    return true;
  }
  std::string_view bytes() const { return bytes_; }
  void clear() {
    space_->give_back(bytes_.size());
    bytes_ = {};
  }

 private:
  const std::shared_ptr<BodySpace> space_;
  std::string bytes_;
};

}  // namespace refrain::server
