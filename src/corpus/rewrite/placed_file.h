// A plain file to which batches are written side by side: each is given its place in turn, and written after it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "corpus/rewrite/one_writer.h"

namespace refrain::corpus {

// What is to be written of one batch, in order: parts of its raw bytes, and bytes of its own.
class WrittenParts {
 public:
  explicit WrittenParts(std::string_view raw = {}) : raw_(raw) {}

  // `bytes` are copied unless they lie in the raw bytes.
  void add(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  bool empty() const { return parts_.empty(); }
  std::size_t copied_bytes() const { return own_.size(); }

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

// What is to be written to a place of a file.
struct PlacedParts {
  std::uint64_t place = 0;
  WrittenParts parts;
  std::shared_ptr<const void> owner;  // of the raw bytes
};

// begin() and end() are called in turn; write() is thread-safe. Throws what OutputFile throws.
//
// Whoever comes first writes what all others bring, and they go on with their work, unless much is waiting already: so
// they come to the next file while this one is being written.
class PlacedFile {
 public:
  // What waits to be written to this file and others.
  struct Room {
    explicit Room(std::size_t most_pieces) : most(most_pieces) {}
    const std::size_t most;
    std::atomic<std::size_t> waiting = 0;
  };
  // That may wait for each file, however little room there is.
  static constexpr std::size_t kMostWaiting = 8;

  // Keeps the reference.
  PlacedFile(const std::string& path, Room& room) : room_(room), file_(path) {}

  // The place of so many bytes, which are then to be written.
  std::uint64_t begin(std::uint64_t bytes);
  // After the last begin(). The file is closed, not synced, when all is written. Returns its bytes.
  std::uint64_t end();

  // In turn, at the end, at once.
  void append(const WrittenParts& parts);
  // By this thread, or, unless it must be `at_once`, by another a little later.
  void write(PlacedParts parts, bool at_once);

 private:
  bool has_room() const { return waiting_.size() < kMostWaiting || room_.waiting < room_.most; }
  void put(std::uint64_t place, const WrittenParts& parts) const;
  void write_waiting(std::unique_lock<std::mutex>& lock);

  Room& room_;
  OutputFile file_;
  std::uint64_t bytes_ = 0;
  OneWriter writer_;
  std::deque<PlacedParts> waiting_;
  std::size_t open_ = 1;  // writes that are to come, and the end
};

}  // namespace refrain::corpus
