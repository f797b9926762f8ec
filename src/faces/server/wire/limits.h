// What a client may take: bytes, time, places in a queue. Tests make them small.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace refrain::server {

struct Limits {
  std::size_t header_bytes = std::size_t{16} << 10;
  std::size_t body_bytes = std::size_t{8} << 20;
  std::size_t all_bodies_bytes = std::size_t{128} << 20;  // that are held at the same time, as far as they have come

  std::chrono::milliseconds header_time{10'000};  // from the first byte to the end of the headers
  std::chrono::milliseconds body_time{30'000};    // in all
  std::chrono::milliseconds idle_time{30'000};    // between two requests
  std::chrono::milliseconds write_time{60'000};   // to take one piece of an answer
  // That an answer may keep its worker waiting for its reader, in all: past that it is cut off, with an error at its end.
  std::chrono::milliseconds held_time{10'000};
  std::chrono::milliseconds linger_time{2'000};  // to take an answer that was given before all was read
  // To end what has begun, before it is told to stop.
  std::chrono::milliseconds shutdown_time{10'000};

  std::size_t piece_bytes = std::size_t{32} << 10;          // of an answer, written at once
  std::size_t answer_bytes = std::size_t{256} << 10;        // of an answer, held in memory
  std::uint64_t spool_bytes = std::uint64_t{256} << 20;     // of an answer, on disk, until its reader takes it
  std::uint64_t all_spools_bytes = std::uint64_t{4} << 30;  // of all answers, and of what follows
  std::uint64_t passages_bytes = std::uint64_t{2} << 30;    // of all passages of the index, from which pages are cut
  std::size_t queued = 256;                                 // requests that wait for a thread, a kind of work

  unsigned max_connections = 2048;
};

// What a request may ask for.
inline constexpr std::uint64_t kMaxPassages = 1000;
inline constexpr std::uint64_t kMaxOccurrences = 100'000;
inline constexpr std::uint64_t kDefaultPassages = 20;  // of all of the index, on a page

}  // namespace refrain::server
