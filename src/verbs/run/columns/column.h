// Columns: files of a run that hold one value per document.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/file.h"
#include "base/threads.h"
#include "refrain/error.h"

namespace refrain::verbs::run {

// Loads a whole column into memory. `what` names the array in the message of Error(over_budget). Long columns are read
// by many threads, because reading also has to fault in the pages.
template <class T>
Array<T> load_column(const std::filesystem::path& path, MemoryBudget& budget, const std::string& what,
                     unsigned threads = 1) {
  constexpr std::size_t kPieceBytes = std::size_t{4} << 20;
  const RandomFile file(path);
  if (file.size() % sizeof(T) != 0)
    throw Error(Errc::corrupt, fmt::format("{}: wrong size; start again with `force`", path.string()));
  Array<T> values(budget, what, file.size() / sizeof(T));
  const std::span<char> bytes(reinterpret_cast<char*>(values.data()), values.size() * sizeof(T));
  parallel_for(threads, (bytes.size() + kPieceBytes - 1) / kPieceBytes, [&](unsigned, std::size_t piece) {
    const std::size_t begin = piece * kPieceBytes;
    const std::span<char> part = bytes.subspan(begin, std::min(kPieceBytes, bytes.size() - begin));
    if (file.read_up_to(begin, part) != part.size())
      throw Error(Errc::corrupt, fmt::format("{}: truncated; start again with `force`", path.string()));
  });
  return values;
}

// Reads a column from its beginning to its end, holding a few thousand values in memory.
template <class T>
class ColumnReader {
 public:
  explicit ColumnReader(const std::filesystem::path& path) : file_(path), values_(kValues) {}

  // False at the end.
  bool next(T& value) {
    if (at_ == count_) {
      const std::size_t bytes =
          file_.read_up_to(place_, {reinterpret_cast<char*>(values_.data()), kValues * sizeof(T)});
      count_ = bytes / sizeof(T);
      place_ += bytes;
      at_ = 0;
      if (count_ == 0) return false;
    }
    value = values_[at_++];
    return true;
  }
  // The next call of next() returns the value of this document.
  void seek(std::uint64_t document) {
    place_ = document * sizeof(T);
    at_ = count_ = 0;
  }

 private:
  static constexpr std::size_t kValues = 8192;
  RandomFile file_;
  std::uint64_t place_ = 0;  // offset in the file, just after the held values
  std::vector<T> values_;
  std::size_t at_ = 0;
  std::size_t count_ = 0;
};

}  // namespace refrain::verbs::run
