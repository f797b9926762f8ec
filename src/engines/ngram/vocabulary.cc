#include "engines/ngram/vocabulary.h"

#include <algorithm>

#include "refrain/error.h"

namespace refrain::ngram {

namespace {
constexpr std::size_t kMostWords = std::size_t{0xFFFFFFFF} - 1;
}  // namespace

Vocabulary::Vocabulary(MemoryBudget& budget, const char* what)
    : bytes_(budget, what), entries_(budget, what), table_(budget, what, std::size_t{1} << 14U) {}

std::uint32_t Vocabulary::add(std::string_view word, std::uint64_t hash, std::uint64_t times) {
  const std::size_t slot = slot_of(word, hash);
  if (table_[slot] != 0) {
    entries_[table_[slot] - 1].count += times;
    return table_[slot] - 1;
  }
  if (size() == kMostWords)
    throw Error(Errc::unsupported, "more than four billion distinct words; use `algorithm` auto");
  const auto id = static_cast<std::uint32_t>(size());
  bytes_.append({word.data(), word.size()});
  entries_.push_back({hash, bytes_.size(), times});
  table_[slot] = id + 1;
  if (size() * 3 > table_.size() * 2) rehash();
  return id;
}

void Vocabulary::rehash() {
  const std::size_t size = table_.size() * 2;
  table_.resize(size);
  std::fill(table_.begin(), table_.end(), 0U);
  for (std::uint32_t id = 0; id < entries_.size(); ++id) {
    std::size_t slot = static_cast<std::size_t>(entries_[id].hash) & (size - 1);
    while (table_[slot] != 0) slot = (slot + 1) & (size - 1);
    table_[slot] = id + 1;
  }
}

}  // namespace refrain::ngram
