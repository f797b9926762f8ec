// The part of a request's body that has arrived, and the memory reserved for it and for what is parsed from it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "faces/server/wire/memory_share.h"

namespace refrain::server {

// Each byte counts twice: once for the body, and once for a copy of it. While the body arrives, a growing string needs
// that copy; later, the parsed strings take its place. Each line may be a document, which takes kLineBytes more.
class Body {
 public:
  // The size of a QueryDocument, and of what parse_documents() needs to detect that its id is given twice.
  static constexpr std::size_t kLineBytes = 192;

  explicit Body(std::shared_ptr<MemoryShare> share) : share_(std::move(share)) {}
  ~Body() { share_->give_back(held_); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  // Returns false, and appends nothing, if all bodies together would take too much memory.
  bool append(std::string_view bytes) {
    wanted_ += 2 * bytes.size();
    for (std::size_t at = bytes.find('\n'); at != std::string_view::npos; at = bytes.find('\n', at + 1))
      wanted_ += kLineBytes;
    if (!share_->take(wanted_ - held_)) return false;
    held_ = wanted_;
    bytes_ += bytes;
    return true;
  }
  // After append() has failed: whether the body is too large even if it is the only one.
  bool never_fits() const { return wanted_ > share_->most(); }
  std::string_view bytes() const { return bytes_; }
  // Drops the body, after it has been parsed. The memory of the parsed strings stays reserved as long as this exists.
  void clear() {
    share_->give_back(bytes_.size());
    held_ -= bytes_.size();
    wanted_ = held_;
    bytes_ = {};
  }

 private:
  const std::shared_ptr<MemoryShare> share_;
  std::string bytes_;
  std::size_t wanted_ = 0;
  std::size_t held_ = 0;
};

}  // namespace refrain::server
