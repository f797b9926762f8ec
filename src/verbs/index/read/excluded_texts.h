// Known texts, such as boilerplate. Passages that lie inside them are not reported.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string_view>

#include "base/array.h"
#include "refrain/index.h"
#include "text/token_hasher.h"

namespace refrain::verbs::index {

// Threads may share one after it has been constructed.
class ExcludedTexts {
 public:
  // Throws the errors of GivenTexts::read for a file that cannot be used.
  ExcludedTexts(const PassageLimits& limits, const IndexLayout& layout, MemoryBudget& budget,
                const std::stop_token& stop);
  // The same value for the same texts in the same order.
  std::uint64_t hash() const { return hash_; }
  bool empty() const { return windows_.empty(); }
  // Whether nearly all windows (nine in ten) of these tokens occur in the texts.
  bool hold(std::span<const std::uint32_t> tokens) const;

 private:
  void add(std::string_view text, text::TokenHasher& hasher, MemoryBudget& budget);
  template <class Visit>
  void for_each_window(std::span<const std::uint32_t> tokens, Visit visit) const;

  unsigned window_;
  std::uint64_t hash_ = 0;
  Array<std::uint64_t> windows_;  // sorted
};

}  // namespace refrain::verbs::index
