// Holds the texts of a batch until its turn comes and a TextStore takes them.
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

// The texts of a large batch wait in a temporary file, not in memory. Reusable for another batch: see Pool.
class WaitingTexts {
 public:
  explicit WaitingTexts(MemoryBudget& budget) : text_(budget, "the text being read") {}

  void hold(const TextBatch& texts, MemoryBudget& budget, TempSpace& temp);
  bool may_be_kept() const { return !aside_; }

  // append_to() is called in turn. Texts for which it found room in memory are copied there by fill(), after the
  // turn.
  void append_to(TextStore& store);
  void fill(TextStore& store) const;

 private:
  std::optional<std::uint64_t> room_;
  Array<char> text_;
  std::optional<TempFile> aside_;
  std::vector<std::uint64_t> ends_;
};

}  // namespace refrain::verbs::run
