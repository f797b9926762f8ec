// Columns: a value for every document, in a file of a run.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/file.h"
#include "refrain/error.h"

namespace refrain::verbs::run {

// All of a column, in memory. `what` names it where that does not suffice.
template <class T>
Array<T> load_column(const std::filesystem::path& path, MemoryBudget& budget, const std::string& what) {
  InputFile file(path.string());
  if (file.size() % sizeof(T) != 0)
    throw Error(Errc::corrupt, fmt::format("{}: wrong size; start again with --force", path.string()));
  Array<T> values(budget, what, file.size() / sizeof(T));
  const std::size_t bytes = values.size() * sizeof(T);
  if (bytes != 0 && file.read(reinterpret_cast<char*>(values.data()), bytes) != bytes)
    throw Error(Errc::corrupt, fmt::format("{}: truncated; start again with --force", path.string()));
  return values;
}

// A column from its beginning to its end, a stretch in memory.
template <class T>
class ColumnReader {
 public:
  explicit ColumnReader(const std::filesystem::path& path) : file_(path.string()), values_(kValues) {}

  // False at the end.
  bool next(T& value) {
    if (at_ == count_) {
      count_ = file_.read(reinterpret_cast<char*>(values_.data()), kValues * sizeof(T)) / sizeof(T);
      at_ = 0;
      if (count_ == 0) return false;
    }
    value = values_[at_++];
    return true;
  }

 private:
  static constexpr std::size_t kValues = 8192;
  InputFile file_;
  std::vector<T> values_;
  std::size_t at_ = 0;
  std::size_t count_ = 0;
};

}  // namespace refrain::verbs::run
