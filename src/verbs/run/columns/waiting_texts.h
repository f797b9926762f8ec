// The texts of a batch until its turn comes, when a TextStore takes them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp_space.h"
#include "refrain/text.h"
#include "verbs/run/columns/text_store.h"

namespace refrain::verbs::run {

// Those of long documents do not wait in memory. Used again for another batch: see Pool.
class WaitingTexts {
 public:
  explicit WaitingTexts(MemoryBudget& budget) : text_(budget, "the text being read") {}

  void hold(const TextBatch& texts, MemoryBudget& budget, TempSpace& temp);
  bool may_be_kept() const { return !aside_; }

  // In turn. What finds room in memory is copied there by fill(), after it.
  void append_to(TextStore& store);
  void fill(TextStore& store) const;

 private:
  std::optional<std::uint64_t> room_;
  Array<char> text_;
  std::optional<TempFile> aside_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace refrain::verbs::run
