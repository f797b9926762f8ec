// Divides many items among threads: the texts of a column, a piece of the column at a time, or pairs that are read one
// after another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/progress.h"
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

// Collects items until it has a block of them, works on the block with the threads of the context, and then hands on
// the results in the order of the items.
template <class Item, class Result>
class Blocks {
 public:
  // Keeps a reference to `context`. `progress` may be null. Workers are numbered from 0.
  Blocks(const Context& context, Progress* progress, std::function<Result(unsigned worker, const Item&)> work,
         std::function<void(const Item&, const Result&)> take)
      : context_(context),
        threads_(thread_count(context)),
        progress_(progress),
        work_(std::move(work)),
        take_(std::move(take)) {}

  void add(const Item& item) {
    items_.push_back(item);
    if (items_.size() == kItems) finish();
  }
  // Works on the items that are left.
  void finish() {
    results_.resize(items_.size());
    parallel_for(threads_, (items_.size() + kPieceItems - 1) / kPieceItems, [&](unsigned worker, std::size_t piece) {
      throw_if_stopped(context_);
      const std::size_t end = std::min(items_.size(), (piece + 1) * kPieceItems);
      for (std::size_t i = piece * kPieceItems; i < end; ++i) results_[i] = work_(worker, items_[i]);
      if (progress_ != nullptr) progress_->add(end - piece * kPieceItems);
    });
    for (std::size_t i = 0; i < items_.size(); ++i) take_(items_[i], results_[i]);
    items_.clear();
  }

 private:
  static constexpr std::size_t kItems = std::size_t{1} << 16;  // held in memory at once
  static constexpr std::size_t kPieceItems = 256;              // that a worker takes at a time

  const Context& context_;
  const unsigned threads_;
  Progress* const progress_;
  const std::function<Result(unsigned, const Item&)> work_;
  const std::function<void(const Item&, const Result&)> take_;
  std::vector<Item> items_;
  std::vector<Result> results_;
};

}  // namespace refrain
