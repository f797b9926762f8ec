// Limits of what clients may use: bytes, time, places in a queue. Tests use small limits.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace refrain::server {

struct Limits {
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = std::size_t{8} << 20;
  // Shares of the server's memory. limits_within() reduces them if memory is small. Each byte of a body counts twice:
  // see Body.
  std::size_t all_bodies_bytes = std::size_t{256} << 20;
  std::size_t all_answers_bytes = std::size_t{256} << 20;  // held in memory for slow clients; beyond that, on disk

  std::chrono::milliseconds header_time{10'000};  // from the first byte to the end of the headers
  std::chrono::milliseconds body_time{30'000};    // in total
  std::chrono::milliseconds idle_time{30'000};    // between two requests
  std::chrono::milliseconds write_time{60'000};   // for the client to take one piece of an answer
  // How long a worker waits in total for the client to take its answer. Then the answer ends with an error.
  std::chrono::milliseconds max_worker_wait{10'000};
  std::chrono::milliseconds linger_time{2'000};  // after the last answer, until the client closes
  // How long running requests may take to finish before they are cancelled.
  std::chrono::milliseconds shutdown_time{10'000};

  std::size_t piece_bytes = std::size_t{32} << 10;          // of an answer, sent at once; less with many clients
  std::size_t min_piece_bytes = std::size_t{4} << 10;       // an answer this short is always held in memory
  std::size_t answer_bytes = std::size_t{256} << 10;        // of an answer, held in memory
  std::uint64_t spool_bytes = std::uint64_t{256} << 20;     // of an answer, on disk, until the client takes it
  std::uint64_t all_spools_bytes = std::uint64_t{4} << 30;  // of all answers, and of the passages
  std::uint64_t passages_bytes = std::uint64_t{2} << 30;    // of the file of all passages, from which pages are cut
  std::size_t queued = 256;                                 // requests that wait for a thread, per kind of work

  unsigned max_connections = 2048;
};

// The limits of a server that may use `memory` bytes: at most a quarter of it for bodies and a sixteenth for answers.
inline Limits limits_within(std::uint64_t memory) {
  Limits limits;
  limits.all_bodies_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(limits.all_bodies_bytes, memory / 4));
  limits.all_answers_bytes = static_cast<std::size_t>(std::min<std::uint64_t>(limits.all_answers_bytes, memory / 16));
  return limits;
}

// Limits of the numbers in a request.
inline constexpr std::uint64_t kMaxPassages = 1000;
inline constexpr std::uint64_t kMaxOccurrences = 100'000;
inline constexpr std::uint64_t kDefaultPassages = 20;  // per page of GET /v1/passages

// A part of the server's memory that all connections share: one for request bodies, and one for answers.
//
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
