// The stages of an extraction, in the order that extract.h lists.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "base/hash.h"
#include "refrain/context.h"
#include "refrain/index.h"
#include "store/shuffle.h"
#include "verbs/index/extract/plan.h"
#include "verbs/index/read/given_texts.h"
#include "verbs/index/read/snapshot.h"

namespace refrain::verbs::index {

// A filter for the blots that occur in two documents or more. It accepts all of them and few others.
//
// Many threads may add to it, or query it, but not both at the same time.
class BlotFilter {
 public:
  // Sized for about `blots` blots, but for at most `most_bytes`.
  BlotFilter(MemoryBudget& budget, std::uint64_t blots, std::uint64_t most_bytes);

  void add(std::uint64_t blot) {
    const Probe probe(blot, words_.size());
    std::atomic_ref(words_[probe.word]).fetch_or(probe.bits, std::memory_order_relaxed);
  }
  bool contains(std::uint64_t blot) const {
    const Probe probe(blot, words_.size());
    return (words_[probe.word] & probe.bits) == probe.bits;
  }
  std::uint64_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

 private:
  // A blot sets four bits of one word, so that a query reads memory once.
  struct Probe {
    Probe(std::uint64_t blot, std::size_t words) {
      const std::uint64_t scattered = mix(blot + 1, 0x9E3779B97F4A7C15ULL, 0xD1B54A32D192ED03ULL);
      word = static_cast<std::size_t>((scattered >> 32U) * words >> 32U);  // there are fewer than 2^32 words
      for (unsigned i = 0; i < 4; ++i) bits |= std::uint64_t{1} << (scattered >> 6 * i & 63U);
    }
    std::size_t word;
    std::uint64_t bits = 0;
  };
  Array<std::uint64_t> words_;
};

// Adds the blots that occur in two documents or more, and in at most `max_documents` (0: any number), to `filter`.
// Returns their number.
std::uint64_t find_repeated_blots(Snapshot& snapshot, std::uint64_t max_documents, MemoryBudget& budget,
                                  const Context& context, BlotFilter& filter);

// The first pass of an extraction: reads all documents, stores their tokens, and makes anchors of the places where
// they may agree with other documents.

// The window shapes of the two kinds of anchors.
struct AnchorShapes {
  explicit AnchorShapes(const IndexLayout& layout);
  blot::BlotShape seed;
  blot::BlotShape window;
  bool both;  // otherwise every seed is a window, and there are only windows

  const blot::BlotShape& of(AnchorKind kind) const { return kind == AnchorKind::seed ? seed : window; }
};

// Determines where the tokens of all documents that are not removed will lie. Throws Error(unsupported) if a
// document has 2^32 tokens.
void lay_out(Snapshot& snapshot, TokenTable& table);

// Fills `tokens` and `anchors`. Documents whose text cannot be read are marked as missing and listed in the report,
// in order. Returns the number of bytes of text that were read.
std::uint64_t find_anchors(Snapshot& snapshot, const BlotFilter& filter, const Context& context, TokenTable& table,
                           run::TextStore& tokens, AnchorShuffle& anchors, ExtractReport& report);

// Leftovers are runs of at least one window that lie in an accepted place of the later document, but agree with
// something else there. The later document already reports them, with the noise of that place. Whether the earlier
// document reports them too is known only after all documents have been grown. If it does not, the leftover becomes
// a match of its own.

// A place of a document that will be reported, or a leftover, which asks whether such a place covers it.
struct PlaceOrLeftover {
  std::uint32_t document;
  std::uint32_t first;   // tokens; of a leftover: where its first window begins in the earlier document
  std::uint32_t length;  // of a leftover: how many windows it has
  std::uint32_t rest;    // 1: a leftover, 0: a place
  PassageMatch match;    // only of a leftover
  friend bool operator<(const PlaceOrLeftover& x, const PlaceOrLeftover& y) {
    return std::tie(x.rest, x.first, x.length, x.match) < std::tie(y.rest, y.first, y.length, y.match);
  }
};
struct PlaceOrLeftoverKey {
  std::uint64_t operator()(const PlaceOrLeftover& record) const { return record.document; }
};
using LeftoverShuffle = store::Shuffle<PlaceOrLeftover, PlaceOrLeftoverKey>;

// Turns leftovers that have a window of `span` tokens outside of all places into matches. Consumes the leftovers.
void settle_leftovers(LeftoverShuffle& leftovers, const TokenTable& table, std::uint64_t span,
                      std::uint64_t memory_bytes, MemoryBudget& budget, const Context& context, MatchShuffle& matches);

// Turns equal anchors into links, and links into matches.
//
// Every anchor is linked to the earliest equal one, which gives at most one link per anchor, however many places a
// passage has. In small groups it is also linked to a few anchors right before it, since the earliest one may be part
// of something else. Consecutive links on one diagonal are joined, and the passage is grown from them in both
// directions.

// Links the anchors of groups that lie in several documents. Consumes the anchors.
void link_anchors(AnchorShuffle& anchors, const TokenTable& table, const AnchorShapes& shapes,
                  std::uint64_t memory_bytes, const Context& context, LinkShuffle& links);

struct GrowRules {
  blot::AlignRules align;
  AnchorShapes shapes;
  std::uint64_t min_tokens;  // the least number that must agree
};

// Consumes the links. Writes accepted matches to `matches`, and those that settle_rests() must decide about to
// `leftovers`. Returns the total number of tokens of later documents that growing has covered, a measure of its cost.
std::uint64_t grow_links(LinkShuffle& links, const TokenTable& table, const run::TextStore& tokens,
                         const GrowRules& rules, std::uint64_t memory_bytes, MemoryBudget& budget,
                         const Context& context, MatchShuffle& matches, LeftoverShuffle& leftovers);

// Finds passages that were edited beyond a few words in a row: as in a query with heavy edits, each document is
// compared with those after it (query/runs.h).
//
// A passage that very many documents hold is searched for by the first of them only, so the work stays linear.
// Matches that the passages of an earlier document already cover are dropped later.
//
// Adds the matches it finds to `matches`. Documents that changed after they were first read are noted in the report.
void find_edited(Snapshot& snapshot, const PassageLimits& limits, const ExcludedTexts& excluded, MemoryBudget& budget,
                 const Context& context, TokenTable& table, MatchShuffle& matches, ExtractReport& report);

// Drops matches whose stretches in both documents are already reported as places of earlier documents. Three copies
// make three matches, of which the one between the second and the third adds nothing.
//
// Consumes `found`, and adds the matches that are not dropped to `matches`. `options` are used for all inner shuffles.
void drop_already_reported(MatchShuffle& found, const TokenTable& table, const store::ShuffleOptions& options,
                           std::uint64_t memory_bytes, MemoryBudget& budget, const Context& context,
                           MatchShuffle& matches);

// Groups matches into passages: matches with about the same stretch of one document are places of one passage.

struct GroupRules {
  std::uint64_t min_documents;
  const ExcludedTexts& excluded;
  bool nested = false;  // matches may lie inside others, and such matches are dropped
};

// Consumes the matches. Writes the places of each passage to `places`, ordered by document, and returns the passages
// in the order in which they are reported.
Array<FoundPassage> group_matches(MatchShuffle& matches, const TokenTable& table, const run::TextStore& tokens,
                                  const GroupRules& rules, std::uint64_t memory_bytes, MemoryBudget& budget,
                                  const Context& context, TempFile& places);

// Compares the texts of the passages that were found, and reports those that hold.

struct OutputRules {
  PassageLimits limits;
  std::uint64_t min_tokens;  // the least number that must agree
  std::uint64_t min_documents;
};

// Reports passages in order. Counts passages and occurrences in the report, and notes documents that changed
// meanwhile.
void report_passages(Snapshot& snapshot, std::span<const FoundPassage> passages, const TempFile& places,
                     TokenTable& table, const OutputRules& rules, MemoryBudget& budget, const Context& context,
                     PassageSink& sink, ExtractReport& report);

}  // namespace refrain::verbs::index
