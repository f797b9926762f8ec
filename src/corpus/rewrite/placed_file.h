// A plain file to which batches are written in parallel: each is assigned its offset in turn, and written after its
// turn.
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

// The output of one batch, in order: parts of its raw bytes, and bytes stored here.
class WrittenParts {
 public:
  explicit WrittenParts(std::string_view raw = {}) : raw_(raw) {}

  // `bytes` are copied unless they are part of the raw bytes.
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

// Bytes to write at an offset of a file.
struct PlacedParts {
  std::uint64_t place = 0;
  WrittenParts parts;
  std::shared_ptr<const void> owner;  // of the raw bytes
};

// begin() and end() must be called in turn; write() is thread-safe. Throws what OutputFile throws.
//
// The first thread writes what all others add, and these continue with their work unless too much is waiting. So they
// can proceed to the next file while this one is being written.
class PlacedFile {
 public:
  // The pieces that wait to be written, in all files that share it.
  struct Room {
    explicit Room(std::size_t most_pieces) : most(most_pieces) {}
    const std::size_t most;
    std::atomic<std::size_t> waiting = 0;
  };
  // The number of pieces that may wait for each file, even if `Room` is exceeded.
  static constexpr std::size_t kMostWaiting = 8;

  // Keeps a reference to `room`.
  PlacedFile(const std::string& path, Room& room) : room_(room), file_(path) {}

  // Reserves `bytes` at the end of the file and returns their offset. The caller must then write() them.
  std::uint64_t begin(std::uint64_t bytes);
  // To be called after the last begin(). Returns the size of the file, which is closed, but not synced, when all is
  // written.
  std::uint64_t end();

  // Writes at the end of the file immediately. Must be called in turn.
  void append(const WrittenParts& parts);
  // The parts are written by this thread or, unless `at_once`, possibly by another thread a little later.
  void write(PlacedParts parts, bool at_once);

 private:
  bool has_room() const { return waiting_.size() < kMostWaiting || room_.waiting < room_.most; }
  void put(std::uint64_t place, const WrittenParts& parts) const;
  void write_waiting(std::unique_lock<std::mutex>& lock);

  Room& room_;
  OutputFile file_;
  std::uint64_t bytes_ = 0;
  SingleWriter writer_;
  std::deque<PlacedParts> waiting_;
  std::size_t open_ = 1;  // expected writes, and end()
};

}  // namespace refrain::corpus
