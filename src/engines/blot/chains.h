// Chaining: turns the places where a query and an index have the same blot into candidate passages, without reading
// text.
//
// A *hit* is a window of the query together with a block of the index that contains its blot. Hits of one document
// that lie near one diagonal (tokens of the document minus tokens of the query, known to within a block) and close
// enough together form a *chain*: what a passage with noise in it would look like. Chains over nearly the same part
// of the query form a *candidate*. Candidates are not verified: the caller compares tokens before it reports a
// passage.
//
// Takes time linear in the number of hits, apart from sorting, whatever the hits are. Memory comes from the budget.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/array.h"
#include "refrain/text.h"

namespace refrain::blot {

inline constexpr std::uint32_t kNoHit = ~std::uint32_t{0};

struct Hit {
  std::uint64_t block = 0;
  std::uint32_t query = 0;      // the first token of the window
  std::uint32_t next = kNoHit;  // the next hit of the same chain
};

struct ChainRules {
  std::uint32_t span = 1;      // number of tokens in a window, from its beginning to its end
  std::uint64_t diagonal = 0;  // the largest difference between the diagonals of neighbors in a chain
  std::uint64_t reach = 0;     // the largest distance between them, in tokens of the query
};

// The hits of a chain are linked in ascending order of block, then of query token.
struct Chain {
  DocId document = 0;
  std::uint64_t first_block = 0;  // of its hits
  std::uint64_t last_block = 0;
  std::uint32_t begin = 0;  // tokens of the query, from the first window to the end of the last
  std::uint32_t end = 0;
  std::uint32_t first_hit = kNoHit;
  std::uint32_t hits = 0;
  std::uint32_t candidate = 0;  // the candidate that contains the chain, set by group_chains()

  std::uint32_t length() const { return end - begin; }
};

// Blocks [begin, end) belong to the document.
struct DocumentBlocks {
  DocId document = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class Chainer {
 public:
  Chainer(MemoryBudget& budget, const ChainRules& rules);

  // Reserves memory for `hits` more hits. Throws Error(over_budget) if they do not fit.
  void reserve(std::uint64_t hits);
  // Adds a hit of the query's window for each of `blocks`. Throws as reserve() does.
  void add(std::uint32_t query, std::span<const std::uint64_t> blocks);
  // Makes the chains. Those of a document are adjacent, and documents ascend. Call this once, after adding all hits.
  void link(const std::function<DocumentBlocks(std::uint64_t block)>& document_at);

  // Removes the chains for which `wanted` is false.
  void keep_if(const std::function<bool(const Chain&)>& wanted);

  std::span<const Hit> hits() const { return {hits_.data(), hits_.size()}; }
  std::span<Chain> chains() { return {chains_.data(), chains_.size()}; }

 private:
  // The state of a chain of the current document while it is being built.
  struct Open {
    std::uint64_t block = 0;    // the block of its last hit
    std::int64_t before = 0;    // the diagonal at the block before that one
    std::int64_t diagonal = 0;  // among the hits of the last block, the diagonal nearest to `before`
    std::uint32_t query = 0;    // the furthest query token of its hits
    std::uint32_t last_hit = kNoHit;
  };

  void link_document(const DocumentBlocks& blocks, std::size_t first, std::size_t last);
  std::uint32_t find_open(std::int64_t diagonal, const Hit& hit, std::size_t first_chain) const;
  std::uint32_t& slot(std::int64_t bucket);
  std::int64_t bucket_of(std::int64_t diagonal) const;

  MemoryBudget& budget_;
  ChainRules rules_;
  Array<Hit> hits_;
  Array<Chain> chains_;
  Array<Open> open_;  // of the current document
  // By a hash of a range of diagonals: the index of the last chain there, plus 1. May be out of date.
  Array<std::uint32_t> seen_;
  std::uint64_t seen_mask_ = 0;
};

// Chains of one document, each at most a few blocks from the next: possibly one passage, edited beyond what
// diagonals can follow.
struct Neighbourhood {
  DocId document = 0;
  std::uint64_t first_block = 0;
  std::uint64_t last_block = 0;
  std::uint32_t begin = 0;  // tokens of the query
  std::uint32_t end = 0;
};
struct Neighbourhoods {
  Array<Neighbourhood> all;
  Array<std::uint32_t> of_chain;  // by chain: the index of its neighbourhood
};
// Groups chains, which must be ordered as by Chainer::link(). A chain joins the previous neighbourhood of its
// document unless it begins more than `blocks` blocks after the end, or more than `most` blocks after the beginning
// of that one.
Neighbourhoods find_neighbourhoods(std::span<const Chain> chains, std::uint64_t blocks, std::uint64_t most,
                                   MemoryBudget& budget);

// Whether two runs of tokens are nearly the same: at least four fifths of their union is in both.
bool nearly_same(std::uint64_t a_begin, std::uint64_t a_end, std::uint64_t b_begin, std::uint64_t b_end);

// Chains whose part of the query is nearly the same as that of the first one, which is the longest.
struct Candidate {
  std::uint32_t begin = 0;  // of the first chain, in the query
  std::uint32_t end = 0;
  std::uint32_t first = 0;  // its chains are members[first, first + chains)
  std::uint32_t chains = 0;
  std::uint64_t worth = 0;

  std::uint32_t length() const { return end - begin; }
};

// Best first: the highest worth, then the longest, then the most chains, then by position in the query. This is a
// strict order: no two candidates are equal in it.
bool better(const Candidate& a, const Candidate& b);

// The candidates, best first, and the indices of the chains of each: most hits first, then in their given order.
struct RankedCandidates {
  Array<Candidate> candidates;
  Array<std::uint32_t> members;
};
// Sets the candidate of every chain. `worth` rates a part of the query.
RankedCandidates group_chains(std::span<Chain> chains,
                              const std::function<std::uint64_t(std::uint32_t begin, std::uint32_t end)>& worth,
                              MemoryBudget& budget);

}  // namespace refrain::blot
