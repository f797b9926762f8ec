// Chaining: from the places where a query and an index hold the same blot to candidate passages, with no text read.
//
// A *hit* is a window of the query and a block of the index that holds its blot. Hits of one document that lie near one
// diagonal (tokens of the document less tokens of the query, known to a block) and not too far apart make a *chain*: what
// a passage, with noise in it, would look like. Chains over nearly the same part of the query make a *candidate*. Nothing
// here is a promise: whoever reports a passage compares tokens first.
//
// Takes time linear in the hits, but for sorting, whatever they are. Memory comes from the budget.
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
  std::uint32_t next = kNoHit;  // the next hit of its chain
};

struct ChainRules {
  std::uint32_t span = 1;      // tokens from the beginning of a window to its end
  std::uint64_t diagonal = 0;  // neighbours of a chain differ by so much at most,
  std::uint64_t reach = 0;     // and are so many tokens of the query apart at most
};

// Hits by rising block, then query.
struct Chain {
  DocId document = 0;
  std::uint64_t first_block = 0;  // of its hits
  std::uint64_t last_block = 0;
  std::uint32_t begin = 0;  // tokens of the query, from its first window to the end of its last
  std::uint32_t end = 0;
  std::uint32_t first_hit = kNoHit;
  std::uint32_t hits = 0;
  std::uint32_t candidate = 0;  // the one that it belongs to, once there are some

  std::uint32_t length() const { return end - begin; }
};

// Blocks [begin, end) are a document's.
struct DocumentBlocks {
  DocId document = 0;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class Chainer {
 public:
  Chainer(MemoryBudget& budget, const ChainRules& rules);

  // Room for so many more hits. Error(over_budget) where they do not fit.
  void reserve(std::uint64_t hits);
  // A window of the query, and blocks with its blot. Throws as reserve() does.
  void add(std::uint32_t query, std::span<const std::uint64_t> blocks);
  // Makes the chains, those of a document next to each other, documents rising. Once, after all hits were added.
  void link(const std::function<DocumentBlocks(std::uint64_t block)>& document_at);

  // Chains for which `wanted` is false go.
  void keep_if(const std::function<bool(const Chain&)>& wanted);

  std::span<const Hit> hits() const { return {hits_.data(), hits_.size()}; }
  std::span<Chain> chains() { return {chains_.data(), chains_.size()}; }

 private:
  // A chain of the document at hand, as far as it has come.
  struct Open {
    std::uint64_t block = 0;    // of its last hit
    std::int64_t before = 0;    // the diagonal up to the block before that,
    std::int64_t diagonal = 0;  // and since: of the block's hits, the one nearest to `before`
    std::uint32_t query = 0;    // the furthest of its hits
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
  Array<Open> open_;  // of the document at hand
  // By a hash of a stretch of diagonals: the last chain there, plus one. May be out of date.
  Array<std::uint32_t> seen_;
  std::uint64_t seen_mask_ = 0;
};

// Chains of one document with no more than some blocks between them: what may be one passage, edited beyond diagonals.
struct Neighbourhood {
  DocId document = 0;
  std::uint64_t first_block = 0;
  std::uint64_t last_block = 0;
  std::uint32_t begin = 0;  // tokens of the query
  std::uint32_t end = 0;
};
struct Neighbourhoods {
  Array<Neighbourhood> all;
  Array<std::uint32_t> of_chain;  // by chain: the number of its neighbourhood
};
// Of chains as Chainer::link() orders them. One begins no more than `most` blocks before any of its chains does.
Neighbourhoods find_neighbourhoods(std::span<const Chain> chains, std::uint64_t blocks, std::uint64_t most,
                                   MemoryBudget& budget);

// Two runs of tokens that are nearly the same: four fifths of what they cover together is in both.
bool nearly_same(std::uint64_t a_begin, std::uint64_t a_end, std::uint64_t b_begin, std::uint64_t b_end);

// Chains whose part of the query is nearly that of the first one, which is the longest.
struct Candidate {
  std::uint32_t begin = 0;  // of the first one, in the query
  std::uint32_t end = 0;
  std::uint32_t first = 0;  // its chains are members[first, first + chains)
  std::uint32_t chains = 0;
  std::uint64_t worth = 0;

  std::uint32_t length() const { return end - begin; }
};

// Best first: the worthiest, then the longest, then the most chains, then by the query. No two are alike in this order.
bool better(const Candidate& a, const Candidate& b);

// Candidates, best first, and the chains (by number) of each: most hits first, then as they stand.
struct RankedCandidates {
  Array<Candidate> candidates;
  Array<std::uint32_t> members;
};
// Tells every chain its candidate. `worth` is that of a part of the query.
RankedCandidates group_chains(std::span<Chain> chains,
                              const std::function<std::uint64_t(std::uint32_t begin, std::uint32_t end)>& worth,
                              MemoryBudget& budget);

}  // namespace refrain::blot
