// The sets of windows of texts that are compared with each other, again and again: some are remembered, within a limit.
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
  // `memory_bytes` for the sets that are remembered; a long text may take more for a while, if the budget has it.
  WindowSets(const text::FeaturePlan& plan, MemoryBudget& budget, std::uint64_t memory_bytes);

  using Set = std::vector<std::uint64_t>;  // ascending, each once

  // For a text's windows in order; free between the calls below.
  text::FeatureStream& stream() { return stream_; }

  // The set of text `key`; null where it is not remembered. It stays valid while one other is asked for.
  const Set* find(std::uint64_t key);
  // The same for a text that is not remembered: text() is called for its `text_bytes` bytes, and while they are at hand
  // `beside` bytes are reserved for them. `left_out`: what is not in the set; may be null.
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
  std::list<Held> held_;  // the last used first
  std::unordered_map<std::uint64_t, std::list<Held>::iterator> places_;
  std::uint64_t held_bytes_ = 0;
};

}  // namespace refrain::sketch
