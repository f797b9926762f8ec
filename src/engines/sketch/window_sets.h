// The window sets of texts that are compared repeatedly. As many as fit into a memory limit are cached.
#pragma once

#include <cstdint>
#include <list>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/budget.h"
#include "text/left_out.h"
#include "text/windows.h"

namespace refrain::sketch {

// Not thread-safe.
class WindowSets {
 public:
  // `memory_bytes` is for the cached sets. A long text may temporarily take more, if the budget has it.
  WindowSets(const text::FeaturePlan& plan, MemoryBudget& budget, std::uint64_t memory_bytes);

  using Set = std::vector<std::uint64_t>;  // ascending, without duplicates

  // Provides a text's windows in order. The caller may use it between calls of the functions below.
  text::FeatureStream& stream() { return stream_; }

  // Returns the set of text `key`, or null if it is not cached. The set stays valid while one other set is
  // requested.
  const Set* find(std::uint64_t key);
  // Computes the set of a text that is not cached. text() must return its `text_bytes` bytes; while they are in use,
  // `beside` bytes are reserved for them. `left_out` says what is not part of the set; it may be null.
  template <class Text>
  const Set& add(std::uint64_t key, std::uint64_t text_bytes, std::uint64_t beside, Text text,
                 const text::LeftOut* left_out = nullptr) {
    const std::size_t room = static_cast<std::size_t>(text_bytes) / 5 + 16;
    reserve_beside(beside + room * sizeof(std::uint64_t));
    return remember(key, make(text(), left_out, room, beside));
  }

 private:
  struct Held {
    std::uint64_t key;
    Set set;
  };
  Set make(std::string_view text, const text::LeftOut* left_out, std::size_t room, std::uint64_t beside);
  const Set& remember(std::uint64_t key, Set set);
  void reserve_beside(std::uint64_t bytes);

  const std::uint64_t memory_bytes_;
  Reservation reservation_;
  text::FeatureStream stream_;
  std::list<Held> held_;  // most recently used first
  std::unordered_map<std::uint64_t, std::list<Held>::iterator> places_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace refrain::sketch
