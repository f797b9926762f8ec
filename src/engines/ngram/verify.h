// The last step of the default algorithm: verifies candidates against the text and writes them to the index as
// n-grams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "engines/ngram/candidates.h"
#include "engines/ngram/index/gram_output.h"
#include "engines/ngram/resolver.h"
#include "refrain/context.h"

namespace refrain::ngram {

class Verifier {
 public:
  // Makes one pass over the text and shows every document's n-grams to `resolver`.
  using Pass = std::function<void(Resolver& resolver)>;

  // `text_bytes` is an estimate of the bytes that texts take per group; it is updated after each pass. `memory`
  // returns how much the verifier may take, in addition to the candidates; it is called before each pass.
  Verifier(const Context& context, MemoryBudget& budget, TempSpace& temp, GramOutput& output, Pass pass,
           std::function<std::uint64_t()> memory, double text_bytes);

  // Writes the n-grams of all candidates and clears them. `cut` means that the last group continues as the first
  // group of the next candidates.
  void verify(Candidates& candidates, bool cut);

  // Time spent sorting candidates so far.
  double sorting_seconds() const { return sorting_seconds_; }

  // Memory that a group takes, including its text.
  double group_bytes() const { return Resolver::kGroupBytes + text_bytes_; }

 private:
  struct Drafts;
  void write(const Candidates& candidates, const Resolver& resolver, std::uint64_t first, std::uint64_t last, bool cut);
  using Piece = std::span<const std::uint64_t>;
  void write_group(const Candidates& candidates, const Resolver::Gram& gram, std::span<const Piece> pieces,
                   std::span<const Resolver::Stray> strays, bool cut);

  const Context& context_;
  MemoryBudget& budget_;
  GramOutput& output_;
  const Pass pass_;
  const std::function<std::uint64_t()> memory_;
  double text_bytes_;
  double sorting_seconds_ = 0;
  // The n-grams collected so far for a group that was cut.
  KeyGroup open_;
  std::uint64_t open_key_ = 0;
  std::string open_text_;
};

}  // namespace refrain::ngram
