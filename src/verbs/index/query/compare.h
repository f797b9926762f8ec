// From a chain to what the query and the document really share there: the piece of the document around the chain is read,
// windows that agree token for token are found in it, and grown (engines/blot/align.h) as far as the passage goes. What was
// edited more than that is found in the neighbourhood of the chain (engines/blot/finder.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.h"
#include "engines/blot/align.h"
#include "engines/blot/chains.h"
#include "engines/blot/finder.h"
#include "verbs/index/query/text.h"
#include "verbs/index/read/occurrence.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// Tokens of the query and of a document that are a passage and its place, by 32 bits of their hashes.
struct SharedRun {
  TokenRange query;
  TokenRange place;
  std::uint64_t matches = 0;
  bool loose = false;  // the order of its tokens may differ

  friend bool operator==(const SharedRun&, const SharedRun&) = default;
  bool holds(const SharedRun& other) const {
    return query.first <= other.query.first && query.last >= other.query.last && place.first <= other.place.first &&
           place.last >= other.place.last;
  }
};

// Keeps its buffers. Not thread-safe.
class ChainComparer {
 public:
  ChainComparer(Snapshot& snapshot, const QueryText& query, const PassageLimits& limits, MemoryBudget& budget);

  // Reads in one go what comparing the chains of the neighbourhood takes, as a rule. What cannot be read is left to those who
  // need it.
  void read_ahead(const blot::Neighbourhood& place);
  // All runs of at least min_tokens tokens that agree which a hit of the chain leads to, none inside another, in the
  // order of the hits. Says the same whatever was compared before. Error(bad_input) where the document's file has changed.
  std::vector<SharedRun> compare(const blot::Chain& chain, std::span<const blot::Hit> hits);
  // All runs that agree token for token which a hit of the chain leads to, as long as can be, none inside another, of as many
  // tokens as are told with heavy edits, whatever they say. As compare() otherwise.
  std::vector<SharedRun> compare_exactly(const blot::Chain& chain, std::span<const blot::Hit> hits);
  // What both share there however the tokens are ordered, none inside another. `chains` are those of the neighbourhood.
  std::vector<SharedRun> compare_loosely(const blot::Neighbourhood& place, std::span<const blot::Chain> chains,
                                         std::span<const blot::Hit> hits);

 private:
  void start(DocId document);
  void load(std::uint64_t first, std::uint64_t last);
  void load_around(const blot::Chain& chain);
  TokenRange tokens_of(const blot::Neighbourhood& place) const;
  struct HeldTokens;
  const HeldTokens& held(std::uint64_t first, std::uint64_t last);
  bool agree(std::uint32_t query, std::uint64_t token) const;
  bool resembles(std::span<const blot::Chain> chains, std::span<const blot::Hit> hits);
  SharedRun grow(std::uint32_t query, std::uint64_t token);
  SharedRun grow_exactly(std::uint32_t query, std::uint64_t token);
  bool lies_inside(const SharedRun& run, std::uint32_t query, std::uint64_t token) const;
  SharedRun refine(const SharedRun& run);
  std::span<const std::uint32_t> loaded(std::uint64_t first, std::uint64_t last) const {
    return hashes_.subspan(first - first_, last - first);
  }

  Snapshot& snapshot_;
  const QueryText& query_;
  std::uint64_t min_tokens_;
  std::uint64_t exact_tokens_;  // that compare_exactly() tells
  std::uint64_t window_span_;   // tokens of a run that has a chosen window for sure
  blot::AlignRules rules_;
  blot::BlotShape shape_;
  blot::Aligner aligner_;
  blot::PassageFinder finder_;
  std::optional<blot::Resemblance> resemblance_;  // once it is needed
  double least_share_;                            // that the surroundings of a hit have in common
  TokenRange finder_set_;                         // the tokens of the query that it was given
  MemoryBudget& budget_;
  Reservation reservation_;
  // Tokens of documents that were read before: many chains may lead to the same few places. The last one was used last.
  struct HeldTokens {
    DocId document = 0;
    TokenRange range;
    std::vector<std::uint32_t> hashes;
  };
  std::vector<HeldTokens> held_;
  // Of the document at hand: the tokens [first_, last_), whatever else is held.
  DocId document_ = 0;
  std::uint64_t first_block_ = 0;
  std::uint64_t document_tokens_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::span<const std::uint32_t> hashes_;
};

// Error(invalid_argument) where it is no share that may differ.
void check_noise(const PassageLimits& limits);
// The matching tokens that a passage needs: by its order, for heavy edits word for word, and where the order may differ.
std::uint64_t least_exact_tokens(const PassageLimits& limits);
std::uint64_t least_tokens(const IndexLayout& layout, const PassageLimits& limits);
blot::FinderRules finder_rules(const IndexLayout& layout, const PassageLimits& limits);
// And how far apart the hits of a chain are.
blot::ChainRules chain_rules(const IndexLayout& layout, const PassageLimits& limits);

}  // namespace refrain::verbs::index
