// Progress of one stage, counted by many threads and reported a few times a second.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "refrain/context.h"

namespace refrain {

// Seconds since it was made.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Thread-safe, and cheap enough for a call a document: threads count apart. Each add() also looks at the stop token, so
// a stage that reports can be interrupted.
class Progress {
 public:
  Progress(const Context& context, std::string stage, std::string unit, std::uint64_t total);

  // Throws Error(interrupted) once the caller has asked to stop.
  void add(std::uint64_t amount);
  // A last report, with all that was done.
  void finish();

 private:
  void report();

  const Context& context_;
  const std::string stage_;
  const std::string unit_;
  const std::uint64_t total_;
  struct alignas(64) Count {
    std::atomic<std::uint64_t> done{0};
  };
  std::array<Count, 32> counts_;
  std::mutex mutex_;
  std::atomic<std::chrono::steady_clock::time_point> next_report_;
};

}  // namespace refrain
