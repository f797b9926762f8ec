// The distinct words of a text, numbered from 0 as they come. All of its memory is reserved from the budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::ngram {

// Not thread-safe while words are added.
class Vocabulary {
 public:
  // `what` names it where the budget is too small.
  explicit Vocabulary(MemoryBudget& budget, const char* what = "the vocabulary (--algorithm auto needs none)");

  // The number of the word, which is new or known; it occurred `times` times more. `hash` is XXH3 of the word, seed 0.
  std::uint32_t add(std::string_view word, std::uint64_t hash, std::uint64_t times = 1);

  // The number of a word; kNone where it is not known.
  std::uint32_t find(std::string_view word, std::uint64_t hash) const { return table_[slot_of(word, hash)] - 1; }
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::size_t size() const { return entries_.size(); }
  std::string_view word(std::uint32_t id) const {
    const std::uint64_t begin = id == 0 ? 0 : entries_[id - 1].end;
    return {bytes_.data() + begin, static_cast<std::size_t>(entries_[id].end - begin)};
  }
  std::uint64_t hash(std::uint32_t id) const { return entries_[id].hash; }
  // How often the word occurred.
  std::uint64_t count(std::uint32_t id) const { return entries_[id].count; }

 private:
  struct Entry {
    std::uint64_t hash;
    std::uint64_t end;  // of its bytes
    std::uint64_t count;
  };
  // Where the word is in table_, or would be.
  std::size_t slot_of(std::string_view word, std::uint64_t hash) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    for (; table_[slot] != 0; slot = (slot + 1) & mask) {
      const std::uint32_t id = table_[slot] - 1;
      if (entries_[id].hash == hash && this->word(id) == word) break;
    }
    return slot;
  }
  void rehash();

  Array<char> bytes_;
  Array<Entry> entries_;
  Array<std::uint32_t> table_;  // numbers + 1, by hash; 0 where there is none
};

}  // namespace refrain::ngram
