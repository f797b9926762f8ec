#include "engines/ngram/literature/sequence.h"

#include "base/hash.h"
#include "engines/ngram/index/gram_key.h"

namespace refrain::ngram {

namespace {

std::uint64_t spread(std::uint32_t word) {
  return (std::uint64_t{word} + 1) * 0x9E3779B97F4A7C15ULL;
}

std::uint64_t finish(std::uint64_t sum) {
  return mix(sum, 0xBF58476D1CE4E5B9ULL, 0x94D049BB133111EBULL);
}

}  // namespace

WindowHashes::WindowHashes(std::size_t window) : window_(window) {
  for (std::size_t i = 0; i < window; ++i) leave_ *= kGramBase;
}

std::span<const std::uint64_t> WindowHashes::operator()(std::span<const std::uint32_t> words) {
  const std::size_t windows = words.size() - window_ + 1;
  hashes_.resize(std::max(hashes_.size(), windows));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < window_; ++i) sum = sum * kGramBase + spread(words[i]);
  hashes_[0] = finish(sum);
  for (std::size_t i = 1; i < windows; ++i) {
    sum = sum * kGramBase + spread(words[i + window_ - 1]) - spread(words[i - 1]) * leave_;
    hashes_[i] = finish(sum);
  }
  return {hashes_.data(), windows};
}

}  // namespace refrain::ngram
