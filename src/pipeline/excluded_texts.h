// Texts that are known, boilerplate for one: passages that lie inside them are not told.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "refrain/index.h"

namespace refrain {

// Threads may share one, once it is made.
class ExcludedTexts {
 public:
  ExcludedTexts(const std::vector<std::string>& texts, const IndexLayout& layout, MemoryBudget& budget);
  bool empty() const { return windows_.empty(); }
  // Whether nearly all (nine in ten) windows of these tokens occur in the texts.
  bool hold(std::span<const std::uint32_t> tokens) const;

 private:
  std::vector<std::uint64_t> windows_of(std::span<const std::uint32_t> tokens) const;
  unsigned window_;
  Array<std::uint64_t> windows_;  // sorted
};

}  // namespace refrain
