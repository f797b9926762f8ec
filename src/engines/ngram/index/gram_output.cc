#include "engines/ngram/index/gram_output.h"

namespace refrain::ngram {

store::PositionList& KeyGroup::positions(std::uint64_t key, std::string_view text) {
  return grams_.try_emplace({key, std::string(text)}, temp_, kMostInMemory).first->second;
}

void KeyGroup::flush(GramOutput& output) {
  for (const auto& [gram, positions] : grams_)
    if (positions.size() >= output.m()) output.write(gram.first, gram.second, [&](auto fn) { positions.for_each(fn); });
  grams_.clear();
}

}  // namespace refrain::ngram
