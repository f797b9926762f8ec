// Evidence: how unlikely it is by chance that two stretches of tokens share what they share, in bits.
//
// Documents of one kind share many words in the same order: entries of two changelogs, replies of two mailing lists.
// Such words are no evidence of a copy, because each document repeats them all by itself. So each token is weighed by
// how well the text around the two stretches predicts it from the token before it: log2(1 / p), where p comes from the
// pairs of neighboring tokens there, and from single tokens where a pair is new. The two stretches themselves are not
// counted. Every gap costs bits: to say where the next shared token stands, and for the tokens that differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace refrain::blot {

// A stretch of a document and the text around it.
struct StretchInContext {
  std::span<const std::uint32_t> context;
  std::size_t begin = 0;  // the stretch is context[begin, end)
  std::size_t end = 0;
  std::span<const std::uint32_t> stretch() const { return context.subspan(begin, end - begin); }
};

// Keeps its buffers between calls. Not thread-safe. Contexts must be shorter than 2^31 tokens.
class Evidence {
 public:
  // The evidence in sixteenths of a bit; negative if the differences weigh more than what is shared. The same if `a`
  // and `b` are exchanged, except that among equally long rows of shared tokens another one may be chosen.
  std::int64_t weigh(const StretchInContext& a, const StretchInContext& b);

  // The number of tokens that both stretches share in the same order. Valid after weigh().
  std::size_t matches() const { return row_.size(); }

  // The approximate number of bytes that contexts of `tokens` tokens together take.
  static std::uint64_t memory_bytes(std::uint64_t tokens) { return 64 * tokens; }

 private:
  // Equal tokens of the stretches. `before` is the one before it in the longest row of matches that ends with it.
  struct Match {
    std::uint32_t a;
    std::uint32_t b;
    std::uint32_t before;
  };

  void count(const StretchInContext& a, const StretchInContext& b);
  void match(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);
  std::uint32_t pairs_of(std::uint32_t before, std::uint32_t word) const;
  std::int64_t bits_of(std::uint32_t word) const;
  std::int64_t bits_after(std::uint32_t before, std::uint32_t word) const;

  std::uint64_t tokens_ = 0;           // of both contexts
  std::vector<std::uint32_t> words_;   // the contexts, with tokens numbered from 0
  std::vector<std::uint32_t> counts_;  // by word
  std::vector<std::uint64_t> pairs_;   // pairs of neighbors, sorted
  std::vector<std::uint64_t> sorted_;  // scratch
  std::vector<std::uint32_t> begins_;  // by word: where its places in the stretch of `a` begin in places_
  std::vector<std::uint32_t> places_;
  std::vector<std::uint32_t> met_;  // by word: how often the stretch of `b` has held it so far
  std::vector<Match> matches_;
  std::vector<std::uint32_t> ends_;  // by length of a row, minus 1: the match with the least `a` that ends such a row
  std::vector<std::pair<std::uint32_t, std::uint32_t>> row_;  // the longest row: (a, b), ascending
};

}  // namespace refrain::blot
