// The progress of one stage, counted by many threads and reported a few times per second.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "refrain/context.h"

namespace refrain {

// Measures the time since it was created.
class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Thread-safe, and cheap enough for a call per document, because threads count separately. Each add() also checks the
// stop token, so a stage that reports progress can be interrupted.
class Progress {
 public:
  Progress(const Context& context, std::string stage, std::string unit, std::uint64_t total);

  // Throws Error(interrupted) once the caller has requested a stop.
  void add(std::uint64_t amount);
  // Sends a last report, with everything that was done.
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
