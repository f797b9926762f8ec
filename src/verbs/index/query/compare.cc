#include "verbs/index/query/compare.h"

#include <algorithm>

#include "engines/blot/blotter.h"
#include "engines/blot/format.h"

namespace refrain::verbs::index {
namespace {

// Besides what the chain covers, in the first reading.
constexpr std::uint64_t kMarginTokens = 32;
// What a token of a document takes while it is read, its text included, about.
constexpr std::uint64_t kTokenBytes = sizeof(DocumentToken) + sizeof(std::uint32_t) + 12;

bool starts_in(const SharedRun& run, std::uint32_t query, std::uint64_t token) {
  return query >= run.query.first && query < run.query.last && token >= run.place.first && token < run.place.last;
}

bool same_diagonal(const SharedRun& run, std::uint32_t query, std::uint64_t token) {
  return token - query == run.place.first - run.query.first;
}

}  // namespace

ChainComparer::ChainComparer(Snapshot& snapshot, const QueryText& query, const PassageLimits& limits,
                             std::uint64_t min_tokens, MemoryBudget& budget)
    : snapshot_(snapshot),
      query_(query),
      min_tokens_(min_tokens),
      rules_(align_rules(snapshot.layout(), limits)),
      shape_(blot::blot_shape(snapshot.layout())),
      aligner_(rules_),
      reservation_(budget.reserve(0, "the tokens of a document")) {}

std::vector<SharedRun> ChainComparer::compare(const blot::Chain& chain, std::span<const blot::Hit> hits) {
  start(chain);
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
  return runs;
}

void ChainComparer::start(const blot::Chain& chain) {
  document_ = chain.document;
  first_block_ = snapshot_.first_block(document_);
  document_tokens_ = snapshot_.tokens(document_);
  const std::uint64_t first = (chain.first_block - first_block_) * blot::kBlockTokens;
  const std::uint64_t last = (chain.last_block - first_block_ + 1) * blot::kBlockTokens + shape_.span();
  load(first - std::min(first, kMarginTokens), last + kMarginTokens);
}

// At least these, and what comes along when they are read.
void ChainComparer::load(std::uint64_t first, std::uint64_t last) {
  first_ = first / blot::kMarkTokens * blot::kMarkTokens;
  last_ = std::min(document_tokens_, (last + blot::kMarkTokens - 1) / blot::kMarkTokens * blot::kMarkTokens);
  reservation_.resize((last_ - first_) * kTokenBytes, "the tokens of a document");
  snapshot_.read_tokens(document_, first_, last_, tokens_);
  last_ = first_ + tokens_.size();
  hashes_.clear();
  for (const DocumentToken& token : tokens_) hashes_.push_back(token.hash);
}

// Whether the windows that begin there are the same.
bool ChainComparer::agree(std::uint32_t query, std::uint64_t token) const {
  if (token < first_ || token + shape_.span() > last_) return false;
  const std::uint32_t* a = query_.hashes().data() + query;
  const std::uint32_t* b = hashes_.data() + (token - first_);
  for (std::size_t i = 0; i < shape_.span(); i += shape_.stride)
    if (a[i] != b[i]) return false;
  return true;
}

SharedRun ChainComparer::grow(std::uint32_t query, std::uint64_t token) {
  const QueryText::Part& part = query_.part_at(query);
  // Tokens inserted cost at least what the others are worth, so more than this of the document is of no use.
  const auto enough = [&](std::uint64_t tokens) { return (tokens + 1) * (1 + rules_.match) + rules_.max_gap; };

  const std::span<const std::uint32_t> behind = query_.hashes().subspan(query, part.last - query);
  blot::Growth ahead = aligner_.forward(behind, loaded(token, last_));
  while (ahead.open && last_ < document_tokens_ && last_ - token < enough(behind.size())) {
    load(first_, last_ + std::max(blot::kMarkTokens, last_ - first_));
    ahead = aligner_.forward(behind, loaded(token, last_));
  }

  const std::span<const std::uint32_t> before = query_.hashes().subspan(part.first, query - part.first);
  blot::Growth back = aligner_.backward(before, loaded(first_, token));
  while (back.open && first_ > 0 && token - first_ < enough(before.size())) {
    load(first_ - std::min(first_, std::max(blot::kMarkTokens, last_ - first_)), last_);
    back = aligner_.backward(before, loaded(first_, token));
  }
  return {{query - back.a, query + ahead.a}, {token - back.b, token + ahead.b}, back.matches + ahead.matches};
}

}  // namespace refrain::verbs::index
