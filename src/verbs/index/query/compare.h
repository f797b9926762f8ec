// Compares the query and a document around a chain: reads the piece of the document there, finds windows that agree
// token for token, and grows them (engines/blot/align.h) as far as the passage goes. Passages that were edited more
// than that are found in the neighborhood of the chain (engines/blot/finder.h).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.h"
#include "engines/blot/align.h"
#include "engines/blot/chains.h"
#include "engines/blot/evidence.h"
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

// Reuses its buffers. Not thread-safe.
class ChainComparer {
 public:
  ChainComparer(Snapshot& snapshot, const QueryText& query, const PassageLimits& limits, MemoryBudget& budget);

  // Reads at once what comparing the chains of the neighborhood usually takes. Errors are ignored: the call that
  // needs the tokens runs into them again.
  void read_ahead(const blot::Neighbourhood& place);
  // Whether the document has the same tokens as the query, and enough of them for a passage.
  bool is_same(DocId document);
  SharedRun whole() const { return {{0, query_.tokens()}, {0, query_.tokens()}, query_.tokens(), false}; }
  // Returns all runs that agree in at least min_tokens tokens and that a hit of the chain leads to, none inside
  // another, in the order of the hits. With light edits, a run of which most differs must be backed by evidence, here
  // and in compare_loosely(). The result does not depend on earlier calls. Throws Error(bad_input) if the
  // document's file has changed.
  std::vector<SharedRun> compare(const blot::Chain& chain, std::span<const blot::Hit> hits);
  // Like compare(), but returns the longest runs that agree token for token, if they have at least the length that
  // is reported with heavy edits regardless of their rarity (least_exact_tokens).
  std::vector<SharedRun> compare_exactly(const blot::Chain& chain, std::span<const blot::Hit> hits);
  // Returns all runs that both share there in any order of tokens, none inside another. `chains` are those of the
  // neighborhood.
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
  bool is_backed(const SharedRun& run);
  std::span<const std::uint32_t> loaded(std::uint64_t first, std::uint64_t last) const {
    return hashes_.subspan(first - first_, last - first);
  }

  Snapshot& snapshot_;
  const QueryText& query_;
  std::uint64_t min_tokens_;
  std::uint64_t exact_tokens_;  // the least that compare_exactly() returns
  std::uint64_t window_span_;   // tokens of a run that certainly has a chosen window
  blot::AlignRules rules_;
  blot::BlotShape shape_;
  blot::Aligner aligner_;
  blot::PassageFinder finder_;
  bool needs_evidence_;
  blot::Evidence evidence_;
  std::optional<blot::Resemblance> resemblance_;  // made when it is first needed
  double least_share_;                            // that the surroundings of a hit must have in common
  TokenRange finder_set_;                         // the tokens of the query that it was set to
  MemoryBudget& budget_;
  Reservation reservation_;
  // Tokens of documents that were read before, since many chains may lead to the same few places. The last one was
  // used last.
  struct HeldTokens {
    DocId document = 0;
    TokenRange range;
    std::vector<std::uint32_t> hashes;
  };
  std::vector<HeldTokens> held_;
  // The current document, and its tokens [first_, last_). held_ may contain more of it.
  DocId document_ = 0;
  std::uint64_t first_block_ = 0;
  std::uint64_t document_tokens_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t last_ = 0;
  std::span<const std::uint32_t> hashes_;
};

// Throws Error(invalid_argument) unless limits.noise is above 0 and below 1.
void check_noise(const PassageLimits& limits);
// The least number of matching tokens of a passage: word for word with heavy edits, in order, and where the order
// may differ.
std::uint64_t least_exact_tokens(const PassageLimits& limits);
std::uint64_t least_tokens(const IndexLayout& layout, const PassageLimits& limits);
blot::FinderRules finder_rules(const IndexLayout& layout, const PassageLimits& limits);
// The rules that say how far apart the hits of a chain may be.
blot::ChainRules chain_rules(const IndexLayout& layout, const PassageLimits& limits);

}  // namespace refrain::verbs::index
