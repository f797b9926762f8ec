// The distinct words of a text, numbered from 0 in the order of their first occurrence. All memory is reserved from
// the budget.
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
  // `what` names the vocabulary in the error message if the budget is too small.
  explicit Vocabulary(MemoryBudget& budget, const char* what = "the vocabulary (`algorithm` auto needs none)");

  // Adds `times` occurrences of a word, which may be new, and returns its number. `hash` is XXH3 of the word, seed
  // 0.
  std::uint32_t add(std::string_view word, std::uint64_t hash, std::uint64_t times = 1);

  // Returns the number of a word, or kNone if it is unknown.
  std::uint32_t find(std::string_view word, std::uint64_t hash) const { return table_[slot_of(word, hash)] - 1; }
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::size_t size() const { return entries_.size(); }
  std::string_view word(std::uint32_t id) const {
    const std::uint64_t begin = id == 0 ? 0 : entries_[id - 1].end;
    return {bytes_.data() + begin, static_cast<std::size_t>(entries_[id].end - begin)};
  }
  std::uint64_t hash(std::uint32_t id) const { return entries_[id].hash; }
  // Returns how often the word occurred.
  std::uint64_t count(std::uint32_t id) const { return entries_[id].count; }

 private:
  struct Entry {
    std::uint64_t hash;
    std::uint64_t end;  // end of its bytes
    std::uint64_t count;
  };
  // Returns the index in table_ where the word is, or where it would be inserted.
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
  Array<std::uint32_t> table_;  // word numbers + 1, by hash; 0 for an empty slot
};

}  // namespace refrain::ngram
