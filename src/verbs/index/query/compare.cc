#include "verbs/index/query/compare.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "engines/blot/blotter.h"
#include "engines/blot/format.h"
#include "refrain/error.h"

namespace refrain::verbs::index {
namespace {

// The first read covers this many tokens on either side of the chain.
constexpr std::uint64_t kMarginTokens = 32;
// The same for a neighborhood. If a passage continues beyond it, the margin becomes four times as large, up to
// kMostMargin.
constexpr std::uint64_t kLooseMargin = 512;
constexpr std::uint64_t kMostMargin = std::uint64_t{1} << 15U;
// A query of at most this many tokens is compared as a whole, so that its words are numbered only once.
constexpr std::uint64_t kWholeQuery = 4096;
// The surroundings of a hit need this share of the agreement that a passage needs, because there is less of it at
// the ends.
constexpr double kResemblance = 0.8;
// Tokens of at most this many places, and at most this many tokens, are held for later comparisons.
constexpr std::size_t kMostHeld = 8;
constexpr std::uint64_t kMostHeldTokens = std::uint64_t{1} << 18U;
// How much neighbors in a chain of pairs may differ in diagonal, and how far apart they may be: words may have moved.
constexpr std::uint64_t kPairDiagonal = 200;
constexpr std::uint64_t kPairReach = 100;
// A run in which most tokens differ needs this much evidence, in bits, given this many tokens around it.
constexpr std::int64_t kLeastEvidence = 100;
constexpr std::uint64_t kEvidenceAround = 256;
constexpr const char* kLooseWhat = "the tokens of a document";
// About how many bytes a token of a document takes while it is read, including its text.
constexpr std::uint64_t kTokenBytes = sizeof(std::uint32_t) + 12;

bool starts_in(const SharedRun& run, std::uint32_t query, std::uint64_t token) {
  return query >= run.query.first && query < run.query.last && token >= run.place.first && token < run.place.last;
}

// Whether half of the adjacent pairs of tokens in the shorter run are adjacent in the other one too.
bool mostly_in_order(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  const auto sorted_pairs = [](std::span<const std::uint32_t> tokens) {
    std::vector<std::uint64_t> pairs;
    for (std::size_t i = 1; i < tokens.size(); ++i) pairs.push_back(std::uint64_t{tokens[i - 1]} << 32U | tokens[i]);
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  };
  std::vector<std::uint64_t> both;
  std::ranges::set_intersection(sorted_pairs(a), sorted_pairs(b), std::back_inserter(both));
  return 2 * both.size() + 1 >= std::min(a.size(), b.size());
}

bool same_diagonal(const SharedRun& run, std::uint32_t query, std::uint64_t token) {
  return token - query == run.place.first - run.query.first;
}

bool is_code(TokenizerKind tokenizer) {
  return with_comments(tokenizer, true) != with_comments(tokenizer, false);
}

}  // namespace

void check_noise(const PassageLimits& limits) {
  if (limits.noise <= 0 || limits.noise >= 1)
    throw Error(Errc::invalid_argument, "`noise`: must be above 0 and below 1");
}

std::uint64_t least_exact_tokens(const PassageLimits& limits) {
  return std::max<std::uint64_t>(blot::FinderRules().min_tokens, limits.min_tokens);
}

std::uint64_t least_tokens(const IndexLayout& layout, const PassageLimits& limits) {
  return limits.min_tokens == 0 ? layout.window : limits.min_tokens;
}

blot::FinderRules finder_rules(const IndexLayout& layout, const PassageLimits& limits) {
  constexpr std::uint32_t kBitsAToken = 10;
  blot::FinderRules rules;
  rules.noise = limits.noise;
  rules.max_gap = limits.max_gap.value_or(rules.max_gap);
  // A gap that was requested is taken literally. In programs, most words of one occur in any other.
  rules.summaries = !limits.max_gap && !is_code(layout.tokenizer);
  if (limits.min_tokens == 0) return rules;
  rules.min_tokens = static_cast<std::uint32_t>(std::min<std::uint64_t>(limits.min_tokens, 1U << 24U));
  rules.min_bits = kBitsAToken * rules.min_tokens;
  return rules;
}

blot::ChainRules chain_rules(const IndexLayout& layout, const PassageLimits& limits) {
  const auto span = static_cast<std::uint32_t>(blot::blot_shape(layout).span());
  if (limits.edits == Edits::heavy) return {.span = span, .diagonal = kPairDiagonal, .reach = kPairReach};
  const std::uint64_t gap = align_rules(layout, limits).max_gap;
  return {.span = span,
          .diagonal = blot::kBlockTokens + 2 * gap,
          .reach = (layout.window + 4 * gap) * layout.interleave + blot::kBlockTokens};
}

ChainComparer::ChainComparer(Snapshot& snapshot, const QueryText& query, const PassageLimits& limits,
                             MemoryBudget& budget)
    : snapshot_(snapshot),
      query_(query),
      min_tokens_(least_tokens(snapshot.layout(), limits)),
      exact_tokens_(least_exact_tokens(limits)),
      window_span_(std::uint64_t{snapshot.layout().window} * snapshot.layout().interleave),
      rules_(align_rules(snapshot.layout(), limits)),
      shape_(blot::blot_shape(snapshot.layout())),
      aligner_(rules_),
      finder_(finder_rules(snapshot.layout(), limits)),
      needs_evidence_(limits.edits == Edits::light),
      least_share_(kResemblance * (1 - limits.noise)),
      budget_(budget),
      reservation_(budget.reserve(0, kLooseWhat)) {}

std::vector<SharedRun> ChainComparer::compare(const blot::Chain& chain, std::span<const blot::Hit> hits) {
  load_around(chain);
  std::vector<SharedRun> runs;
  std::vector<SharedRun> small;  // too few tokens
  for (std::uint32_t at = chain.first_hit; at != blot::kNoHit; at = hits[at].next) {
    const std::uint32_t query = hits[at].query;
    const std::uint64_t begin = (hits[at].block - first_block_) * blot::kBlockTokens;
    for (std::uint64_t token = begin; token < begin + blot::kBlockTokens; ++token) {
      if (!agree(query, token)) continue;
      const auto found = [&](const SharedRun& run) { return starts_in(run, query, token); };
      const auto tried = [&](const SharedRun& run) {
        return starts_in(run, query, token) && same_diagonal(run, query, token);
      };
      if (std::any_of(runs.rbegin(), runs.rend(), found) || std::any_of(small.rbegin(), small.rend(), tried)) continue;
      const SharedRun run = grow(query, token);
      if (run.matches < min_tokens_) {
        small.push_back(run);
        continue;
      }
      std::erase_if(runs, [&](const SharedRun& other) { return run.holds(other); });
      runs.push_back(run);
    }
  }
  std::erase_if(runs, [&](const SharedRun& run) { return !is_backed(run); });
  return runs;
}

bool ChainComparer::is_same(DocId document) {
  constexpr std::uint64_t kAtATime = std::uint64_t{1} << 14U;
  start(document);
  std::span<const std::uint32_t> left = query_.hashes();
  if (document_tokens_ != left.size() || left.size() < std::max(min_tokens_, exact_tokens_)) return false;
  try {
    for (std::uint64_t first = 0; !left.empty(); first = last_) {
      load(first, std::min(document_tokens_, first + kAtATime));
      if (!std::equal(hashes_.begin(), hashes_.end(), left.begin())) return false;
      left = left.subspan(hashes_.size());
    }
  } catch (const Error& error) {
    if (error.code() != Errc::bad_input) throw;  // what of it has not changed may still be compared
    return false;
  }
  return true;
}

std::vector<SharedRun> ChainComparer::compare_exactly(const blot::Chain& chain, std::span<const blot::Hit> hits) {
  load_around(chain);
  std::vector<SharedRun> runs;
  for (std::uint32_t at = chain.first_hit; at != blot::kNoHit; at = hits[at].next) {
    const std::uint32_t query = hits[at].query;
    const std::uint64_t begin = (hits[at].block - first_block_) * blot::kBlockTokens;
    for (std::uint64_t token = begin; token < begin + blot::kBlockTokens; ++token) {
      const auto found = [&](const SharedRun& run) { return lies_inside(run, query, token); };
      if (!agree(query, token) || std::any_of(runs.rbegin(), runs.rend(), found)) continue;
      const SharedRun run = grow_exactly(query, token);
      const auto reported = [&](const SharedRun& other) { return other.holds(run); };
      if (run.matches < exact_tokens_ || std::any_of(runs.begin(), runs.end(), reported)) continue;
      std::erase_if(runs, [&](const SharedRun& other) { return run.holds(other); });
      runs.push_back(run);
    }
  }
  return runs;
}

// Whether a run through these tokens need not be grown: it lies inside `run`, or has a chosen window nearer to an
// end of `run`.
bool ChainComparer::lies_inside(const SharedRun& run, std::uint32_t query, std::uint64_t token) const {
  const auto inside = [&](const TokenRange& range, std::uint64_t at, std::uint64_t all) {
    return (range.first == 0 || range.first + window_span_ <= at) &&
           (range.last == all || at + shape_.span() + window_span_ <= range.last) && at >= range.first &&
           at < range.last;
  };
  return inside(run.query, query, query_.tokens()) && inside(run.place, token, document_tokens_);
}

void ChainComparer::load_around(const blot::Chain& chain) {
  start(chain.document);
  const std::uint64_t first = (chain.first_block - first_block_) * blot::kBlockTokens;
  const std::uint64_t last = (chain.last_block - first_block_ + 1) * blot::kBlockTokens + shape_.span();
  load(first - std::min(first, kMarginTokens), last + kMarginTokens);
}

void ChainComparer::start(DocId document) {
  document_ = document;
  first_block_ = snapshot_.first_block(document_);
  document_tokens_ = snapshot_.tokens(document_);
}

// The tokens of the current document that the neighborhood covers.
TokenRange ChainComparer::tokens_of(const blot::Neighbourhood& place) const {
  const std::uint64_t end = (place.last_block - first_block_ + 1) * blot::kBlockTokens + shape_.span();
  return {(place.first_block - first_block_) * blot::kBlockTokens, std::min(document_tokens_, end)};
}

void ChainComparer::read_ahead(const blot::Neighbourhood& place) {
  try {
    start(place.document);
    const auto [begin, end] = tokens_of(place);
    load(begin - std::min(begin, kLooseMargin), end + kLooseMargin);
  } catch (const Error&) {
    // The call that needs the tokens reads them again and reports the error.
  }
}

// Whether the surroundings of any hit are similar. If none are, no more is read.
bool ChainComparer::resembles(std::span<const blot::Chain> chains, std::span<const blot::Hit> hits) {
  constexpr std::uint64_t kAround = blot::PassageFinder::kAround;
  if (!resemblance_) resemblance_.emplace(query_.hashes(), budget_);
  for (const blot::Chain& chain : chains)
    for (std::uint32_t at = chain.first_hit; at != blot::kNoHit; at = hits[at].next) {
      const std::uint64_t query = hits[at].query;
      const std::uint64_t token = (hits[at].block - first_block_) * blot::kBlockTokens;
      const std::uint64_t behind = kAround + shape_.span();
      const std::uint64_t first = std::max(first_, token - std::min(token, kAround));
      const std::uint64_t last = std::min(last_, token + blot::kBlockTokens + behind);
      if (first < last &&
          resemblance_->share(query - std::min(query, kAround), std::min(query_.tokens(), query + behind),
                              loaded(first, last)) >= least_share_)
        return true;
    }
  return false;
}

std::vector<SharedRun> ChainComparer::compare_loosely(const blot::Neighbourhood& place,
                                                      std::span<const blot::Chain> chains,
                                                      std::span<const blot::Hit> hits) {
  start(place.document);
  const auto [begin, end] = tokens_of(place);
  load(begin - std::min(begin, blot::PassageFinder::kAround), end + blot::PassageFinder::kAround);
  if (!resembles(chains, hits)) return {};
  const std::uint64_t query_tokens = query_.tokens();
  std::vector<SharedRun> runs;
  for (std::uint64_t margin = kLooseMargin;; margin *= 4) {
    TokenRange query{0, query_tokens};
    if (query_tokens > kWholeQuery)
      query = {place.begin - std::min<std::uint64_t>(place.begin, margin), std::min(query_tokens, place.end + margin)};
    const TokenRange tokens{begin - std::min(begin, margin), std::min(document_tokens_, end + margin)};
    load(tokens.first, tokens.last);
    const std::uint64_t last = std::min(tokens.last, last_);
    const Reservation room =
        budget_.reserve(blot::PassageFinder::memory_bytes(query.size() + tokens.size()), kLooseWhat);
    if (query != finder_set_) finder_.set(query_.hashes().subspan(query.first, query.size()));
    finder_set_ = query;
    runs.clear();
    bool open = false;  // a run reaches an end of what was compared, and may continue
    for (const blot::LoosePassage& found : finder_.find(loaded(tokens.first, last))) {
      runs.push_back({{query.first + found.a_begin, query.first + found.a_end},
                      {tokens.first + found.b_begin, tokens.first + found.b_end},
                      found.matches,
                      true});
      const auto ends = [](const TokenRange& part, const TokenRange& whole, std::uint64_t all) {
        return (part.first == whole.first && whole.first > 0) || (part.last == whole.last && whole.last < all);
      };
      open = open || ends(runs.back().query, query, query_tokens) || ends(runs.back().place, tokens, document_tokens_);
    }
    if (!open || margin >= kMostMargin) break;
  }
  for (SharedRun& run : runs) run = refine(run);
  std::erase_if(runs, [&](const SharedRun& run) { return !is_backed(run); });
  std::vector<SharedRun> outer;
  for (const SharedRun& run : runs) {
    if (std::any_of(outer.begin(), outer.end(), [&](const SharedRun& other) { return other.holds(run); })) continue;
    std::erase_if(outer, [&](const SharedRun& other) { return run.holds(other); });
    outer.push_back(run);
  }
  return outer;
}

// If a passage is mostly in order, it ends where its ordered part ends, not at words that happen to be near its end.
// A passage that is more than twice as long in one text as in the other would take long to align, for no gain.
SharedRun ChainComparer::refine(const SharedRun& run) {
  constexpr std::size_t kShortRun = 3;
  if (5 * run.matches < 4 * std::min(run.query.size(), run.place.size())) return run;
  const std::span<const std::uint32_t> a = query_.hashes().subspan(run.query.first, run.query.size());
  const std::span<const std::uint32_t> b = loaded(run.place.first, run.place.last);
  if (std::max(a.size(), b.size()) > 2 * std::min(a.size(), b.size()) || !mostly_in_order(a, b)) return run;
  const std::vector<blot::Aligner::Run> same = aligner_.align(a, b);
  std::size_t in_order = 0;
  for (const blot::Aligner::Run& part : same) in_order += part.length;
  if (5 * in_order < 4 * std::min(a.size(), b.size())) return run;
  const auto is_long = [](const blot::Aligner::Run& part) { return part.length >= kShortRun; };
  const auto first = std::find_if(same.begin(), same.end(), is_long);
  const auto last = std::find_if(same.rbegin(), same.rend(), is_long);
  if (first == same.end()) return run;
  SharedRun refined = run;
  refined.query = {run.query.first + first->a, run.query.first + last->a + last->length};
  refined.place = {run.place.first + first->b, run.place.first + last->b + last->length};
  const std::span<const std::uint32_t> all = query_.hashes();
  while (refined.query.first > 0 && refined.place.first > first_ &&
         all[refined.query.first - 1] == hashes_[refined.place.first - 1 - first_]) {
    --refined.query.first;
    --refined.place.first;
  }
  while (refined.query.last < all.size() && refined.place.last < last_ &&
         all[refined.query.last] == hashes_[refined.place.last - first_]) {
    ++refined.query.last;
    ++refined.place.last;
  }
  return refined;
}

// Whether what the run shares is no coincidence: half of it agrees in order, or three fifths in any order, or there is
// enough evidence.
bool ChainComparer::is_backed(const SharedRun& run) {
  const std::uint64_t most = std::max(run.query.size(), run.place.size());
  if (!needs_evidence_ || (run.loose ? 5 * run.matches >= 3 * most : 2 * run.matches >= most)) return true;
  const auto around = [](const TokenRange& range, std::uint64_t tokens) {
    return TokenRange{range.first - std::min(range.first, kEvidenceAround),
                      std::min(tokens, range.last + kEvidenceAround)};
  };
  const TokenRange query = around(run.query, query_.tokens());
  const TokenRange place = around(run.place, document_tokens_);
  load(place.first, place.last);
  const Reservation room = budget_.reserve(blot::Evidence::memory_bytes(query.size() + place.size()), kLooseWhat);
  const auto in = [](std::span<const std::uint32_t> context, const TokenRange& part, const TokenRange& range) {
    return blot::StretchInContext{context, part.first - range.first, part.last - range.first};
  };
  const std::int64_t bits = evidence_.weigh(in(query_.hashes().subspan(query.first, query.size()), run.query, query),
                                            in(loaded(place.first, place.last), run.place, place)) /
                            16;
  return 2 * evidence_.matches() >= most || bits >= kLeastEvidence;
}

// Loads at least these tokens, extended to whole marks, which are read as units anyway.
void ChainComparer::load(std::uint64_t first, std::uint64_t last) {
  first_ = first / blot::kMarkTokens * blot::kMarkTokens;
  last_ = std::min(document_tokens_, (last + blot::kMarkTokens - 1) / blot::kMarkTokens * blot::kMarkTokens);
  const HeldTokens& tokens = held(first_, last_);
  hashes_ = std::span(tokens.hashes).subspan(first_ - tokens.range.first, last_ - first_);
}

// Returns tokens of the current document that include [first, last).
const ChainComparer::HeldTokens& ChainComparer::held(std::uint64_t first, std::uint64_t last) {
  const auto held_tokens = [&] {
    return std::accumulate(held_.begin(), held_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const HeldTokens& tokens) { return sum + tokens.range.size(); });
  };
  // Drops ranges that are too long to be kept, and ranges that the new one includes.
  std::erase_if(held_, [&](const HeldTokens& tokens) {
    const bool is_inside = tokens.document == document_ && tokens.range.first >= first && tokens.range.last <= last;
    return tokens.range.size() > kMostHeldTokens || (is_inside && tokens.range.size() < last - first);
  });
  const auto holds = [&](const HeldTokens& tokens) {
    return tokens.document == document_ && tokens.range.first <= first && tokens.range.last >= last;
  };
  if (const auto found = std::find_if(held_.begin(), held_.end(), holds); found != held_.end()) {
    std::rotate(found, found + 1, held_.end());
    return held_.back();
  }
  const std::uint64_t size = last - first;
  const auto bytes = [&] { return held_tokens() * sizeof(std::uint32_t) + size * kTokenBytes; };
  while (!held_.empty() && (held_.size() >= kMostHeld || held_tokens() + size > kMostHeldTokens ||
                            bytes() > reservation_.bytes() + budget_.available()))
    held_.erase(held_.begin());
  reservation_.resize(bytes(), kLooseWhat);
  std::vector<std::uint32_t> hashes = snapshot_.token_hashes(document_, first, last);
  const TokenRange range{first, first + hashes.size()};
  held_.push_back({document_, range, std::move(hashes)});
  reservation_.resize(held_tokens() * sizeof(std::uint32_t), kLooseWhat);
  return held_.back();
}

// Whether the windows that begin at these tokens are the same.
bool ChainComparer::agree(std::uint32_t query, std::uint64_t token) const {
  if (token < first_ || token + shape_.span() > last_ || query + shape_.span() > query_.tokens()) return false;
  const std::uint32_t* a = query_.hashes().data() + query;
  const std::uint32_t* b = hashes_.data() + (token - first_);
  for (std::size_t i = 0; i < shape_.span(); i += shape_.stride)
    if (a[i] != b[i]) return false;
  return true;
}

SharedRun ChainComparer::grow(std::uint32_t query, std::uint64_t token) {
  // Inserted tokens cost at least as much as matches are worth, so reading more of the document than this is useless.
  const auto enough = [&](std::uint64_t tokens) { return (tokens + 1) * (1 + rules_.match) + rules_.max_gap; };

  const std::span<const std::uint32_t> behind = query_.hashes().subspan(query);
  blot::Growth ahead = aligner_.forward(behind, loaded(token, last_));
  while (ahead.open && last_ < document_tokens_ && last_ - token < enough(behind.size())) {
    load(first_, last_ + std::max(blot::kMarkTokens, last_ - first_));
    ahead = aligner_.forward(behind, loaded(token, last_));
  }

  const std::span<const std::uint32_t> before = query_.hashes().first(query);
  blot::Growth back = aligner_.backward(before, loaded(first_, token));
  while (back.open && first_ > 0 && token - first_ < enough(before.size())) {
    load(first_ - std::min(first_, std::max(blot::kMarkTokens, last_ - first_)), last_);
    back = aligner_.backward(before, loaded(first_, token));
  }
  return {{query - back.a, query + ahead.a}, {token - back.b, token + ahead.b}, back.matches + ahead.matches, false};
}

SharedRun ChainComparer::grow_exactly(std::uint32_t query, std::uint64_t token) {
  const std::span<const std::uint32_t> all = query_.hashes();
  SharedRun run{{query, query}, {token, token}, 0, false};
  while (run.query.last < all.size() && run.place.last < document_tokens_) {
    if (run.place.last == last_) load(first_, last_ + std::max(blot::kMarkTokens, last_ - first_));
    if (all[run.query.last] != hashes_[run.place.last - first_]) break;
    ++run.query.last;
    ++run.place.last;
  }
  while (run.query.first > 0 && run.place.first > 0) {
    if (run.place.first == first_) load(first_ - std::min(first_, std::max(blot::kMarkTokens, last_ - first_)), last_);
    if (all[run.query.first - 1] != hashes_[run.place.first - 1 - first_]) break;
    --run.query.first;
    --run.place.first;
  }
  run.matches = run.query.size();
  return run;
}

}  // namespace refrain::verbs::index
