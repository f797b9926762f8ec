// A plain file to which batches are written side by side: each is given its place in turn, and written after it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files/file.h"

namespace refrain::corpus {

// What is to be written of one batch, in order: parts of its raw bytes, and bytes of its own.
class WrittenParts {
 public:
  explicit WrittenParts(std::string_view raw = {}) : raw_(raw) {}

  // `bytes` are copied unless they lie in the raw bytes.
  void add(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  bool empty() const { return parts_.empty(); }

  template <class Fn>
  void for_each(Fn fn) const {
    for (const Part& part : parts_) fn((part.own ? std::string_view(own_) : raw_).substr(part.begin, part.size));
  }

 private:
  struct Part {
    std::size_t begin;
    std::size_t size;
    bool own;
  };
  std::string_view raw_;
  std::string own_;
  std::vector<Part> parts_;
  std::uint64_t size_ = 0;
};

// begin() and end() are called in turn; write() is thread-safe. Throws what OutputFile throws.
class PlacedFile {
 public:
  explicit PlacedFile(const std::string& path) : file_(path) {}

  // The place of so many bytes, which are then to be written.
  std::uint64_t begin(std::uint64_t bytes) {
    ++open_;
    return std::exchange(bytes_, bytes_ + bytes);
  }
  // After the last begin(). The file is closed, not synced, when all is written. Returns its bytes.
  std::uint64_t end() {
    leave();
    return bytes_;
  }

  void write(std::uint64_t place, const WrittenParts& parts) {
    parts.for_each([&](std::string_view part) {
      file_.write_at(place, part);
      place += part.size();
    });
    leave();
  }

 private:
  void leave() {
    if (--open_ == 0) file_.close_unsynced();
  }

  OutputFile file_;
  std::atomic<std::size_t> open_{1};  // writes that are to come, and the end
  std::uint64_t bytes_ = 0;
};

}  // namespace refrain::corpus
