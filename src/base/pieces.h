// Divides the texts of a column among threads, a piece of the column at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/threads.h"

namespace refrain {

inline constexpr std::size_t kPieceTexts = 64;

inline std::size_t pieces_of(std::size_t texts) {
  return (texts + kPieceTexts - 1) / kPieceTexts;
}

// Calls job(worker, begin, end) for every piece, on the threads of the context. Throws Error(interrupted) once the
// caller has requested a stop.
template <class Job>
void for_each_piece(const Context& context, std::size_t texts, Job job) {
  parallel_for(thread_count(context), pieces_of(texts), [&](unsigned worker, std::size_t piece) {
    throw_if_stopped(context);
    job(worker, piece * kPieceTexts, std::min(texts, (piece + 1) * kPieceTexts));
  });
}

// An object per worker, created when the worker first asks for it.
template <class T>
class PerWorker {
 public:
  explicit PerWorker(const Context& context) : held_(thread_count(context)) {}

  template <class... Args>
  T& get(unsigned worker, Args&&... args) {
    if (!held_[worker]) held_[worker] = std::make_unique<T>(std::forward<Args>(args)...);
    return *held_[worker];
  }

 private:
  std::vector<std::unique_ptr<T>> held_;
};

}  // namespace refrain
