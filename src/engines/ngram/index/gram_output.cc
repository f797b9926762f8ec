#include "engines/ngram/index/gram_output.h"

#include <algorithm>
#include <bit>

namespace refrain::ngram {

DocumentTable::DocumentTable(MemoryBudget& budget)
    : budget_(budget), firsts_(budget, "the documents"), hints_(budget, "the documents") {
  firsts_.push_back(0);
}

void DocumentTable::add(std::uint64_t tokens) {
  firsts_.push_back(firsts_[firsts_.size() - 1] + tokens);
}

void DocumentTable::finish() {
  // Makes up to two hints per document, or one per four documents if memory is short.
  const std::uint64_t plenty = budget_.available() / 64 / sizeof(std::uint64_t);
  const std::uint64_t hints = std::max(size() / 4, std::min(2 * size(), plenty)) + 1;
  const std::uint64_t per_hint = std::max<std::uint64_t>(tokens() / hints, 1);
  step_bits_ = static_cast<unsigned>(std::bit_width(per_hint));
  const std::uint64_t steps = tokens() >> step_bits_;
  hints_.resize(steps + 2);
  DocId document = 0;
  for (std::uint64_t step = 0; step <= steps; ++step) {
    // If several documents begin at one position, only the last of them has tokens.
    while (document + 1 < size() && firsts_[document + 1] <= step << step_bits_) ++document;
    hints_[step] = document;
  }
  hints_[steps + 1] = size() == 0 ? 0 : size() - 1;
}

store::PositionList& KeyGroup::positions(std::uint64_t key, std::string_view text) {
  return grams_.try_emplace({key, std::string(text)}, temp_, kMostInMemory).first->second;
}

void KeyGroup::flush(GramOutput& output) {
  for (const auto& [gram, positions] : grams_)
    if (positions.size() >= output.m()) output.write(gram.first, gram.second, [&](auto fn) { positions.for_each(fn); });
  grams_.clear();
}

}  // namespace refrain::ngram
