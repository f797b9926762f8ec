// Collects the lists that threads compute for the texts of a column, piece by piece (pieces.h), and joins them in the
// end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/pieces.h"
#include "refrain/list_column.h"

namespace refrain {

template <class T>
class ListCollector {
 public:
  ListCollector(MemoryBudget& budget, const Context& context, std::size_t texts, std::string what)
      : what_(std::move(what)),
        reservation_(budget.reserve(2 * texts * sizeof(std::int64_t), what_)),
        ends_(texts),
        pieces_(pieces_of(texts)) {
    for (unsigned worker = 0; worker < thread_count(context); ++worker) lists_.emplace_back(budget, what_);
  }

  // Begins the piece whose first text is number `begin`. The caller appends the values of each of its texts, in
  // order, to the returned array, and calls close() after each text.
  Array<T>& open(unsigned worker, std::size_t begin) {
    pieces_[begin / kPieceTexts] = {worker, lists_[worker].size()};
    return lists_[worker];
  }
  void close(unsigned worker, std::size_t text) { ends_[text] = lists_[worker].size(); }

  // Joins the lists. Each thread's pieces are in order, so memory that was copied is given back on the way, and the
  // values never exist twice.
  ListColumn<T> take() {
    ListColumn<T> result;
    std::size_t size = 0;
    for (const Array<T>& list : lists_) size += list.size();
    result.values.reserve(size);
    result.offsets.reserve(ends_.size() + 1);
    std::vector<std::size_t> given(lists_.size(), 0);
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
      const auto [worker, begin] = pieces_[piece];
      const std::size_t before = result.values.size();
      const std::size_t last = std::min(ends_.size(), (piece + 1) * kPieceTexts);
      for (std::size_t i = piece * kPieceTexts; i < last; ++i)
        result.offsets.push_back(static_cast<std::int64_t>(before + ends_[i] - begin));
      const std::size_t end = ends_[last - 1];
      Array<T>& list = lists_[worker];
      reservation_.resize(reservation_.bytes() + (end - begin) * sizeof(T), what_);
      result.values.insert(result.values.end(), list.begin() + begin, list.begin() + end);
      if ((end - given[worker]) * sizeof(T) < kGiveBackBytes) continue;
      list.give_back(given[worker], end - given[worker]);
      given[worker] = end;
    }
    return result;
  }

 private:
  static constexpr std::size_t kGiveBackBytes = std::size_t{1} << 20;
  struct Piece {
    unsigned worker = 0;
    std::size_t begin = 0;  // in the list of the worker
  };

  const std::string what_;
  Reservation reservation_;
  std::vector<std::size_t> ends_;  // where each text ends in the list of its worker
  std::vector<Piece> pieces_;
  std::vector<Array<T>> lists_;  // one per worker
};

}  // namespace refrain
