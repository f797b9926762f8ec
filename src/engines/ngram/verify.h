// The last step of the default way: candidates, verified against the text, become n-grams of the index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/ngram/candidates.h"
#include "engines/ngram/index/gram_output.h"
#include "engines/ngram/resolver.h"
#include "refrain/context.h"

namespace refrain::ngram {

class Verifier {
 public:
  // One pass over the text, in which every document's n-grams are shown to `resolver`.
  using Pass = std::function<void(Resolver& resolver)>;

  // `text_bytes`: a guess of what texts take a group; it learns. `memory`: how much it may take at a time, besides the
  // candidates; asked each time.
  Verifier(const Context& context, MemoryBudget& budget, TempSpace& temp, GramOutput& output, Pass pass,
           std::function<std::uint64_t()> memory, double text_bytes);

  // Writes the n-grams of all candidates. `cut`: the last group goes on in the candidates to come, as their first.
  // Leaves the candidates empty.
  void verify(Candidates& candidates, bool cut);

  // Spent so far on bringing candidates into order.
  double sorting_seconds() const { return sorting_seconds_; }

  // What a group takes, texts included.
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
  // A group that was cut, so far.
  KeyGroup open_;
  std::uint64_t open_key_ = 0;
  std::string open_text_;
};

}  // namespace refrain::ngram
