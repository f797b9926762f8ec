#include "verbs/index/read/occurrence.h"

#include <algorithm>
#include <utility>

#include "engines/blot/finder.h"

namespace refrain::verbs::index {

namespace {

constexpr unsigned kUsualGap = 8;
// A token that the passage holds often may be as many of these: those that stand about as far behind the first one as it does.
constexpr std::ptrdiff_t kChoices = 4;
constexpr std::uint32_t kNoChoice = ~std::uint32_t{0};

}  // namespace

blot::AlignRules align_rules(const IndexLayout& layout, const PassageLimits& limits) {
  return {.match = layout.interleave,
          .edit = text::tokens_are_characters(layout.tokenizer) ? 2U : 1U,
          .max_gap = limits.edits == Edits::none ? 0 : limits.max_gap.value_or(kUsualGap)};
}

void PlaceTokens::read(text::TokenHasher& hasher, const TextPiece& piece, const TokenRange& tokens) {
  hashes_.clear();
  bytes_.clear();
  normals_.clear();
  normal_begins_.assign(1, 0);
  first_ = std::max(tokens.first, piece.first_token);
  hasher.read(piece.text, piece.first_token, tokens.first, tokens.last, [&](const text::TokenStretch& stretch) {
    hashes_.insert(hashes_.end(), stretch.hashes().begin(), stretch.hashes().end());
    for (std::size_t i = 0; i < stretch.size(); ++i) {
      const ByteRange range = stretch.range(i);
      bytes_.push_back({piece.begin + range.begin, piece.begin + range.end});
      normals_ += stretch.normal(i);
      normal_begins_.push_back(normals_.size());
    }
  });
  begin_ = bytes_.empty() ? piece.begin : bytes_.front().begin;
  text_ = bytes_.empty() ? std::string() : piece.text.substr(begin_ - piece.begin, bytes_.back().end - begin_);
}

PlaceComparer::PlaceComparer(const IndexLayout& layout, const PassageLimits& limits)
    : hasher_(layout.tokenizer),
      aligner_(align_rules(layout, limits)),
      moved_counts_(limits.edits == Edits::heavy || layout.blots != BlotKind::ordered) {}

void PlaceComparer::set_passage(const TextPiece& piece, const TokenRange& tokens) {
  passage_.read(hasher_, piece, tokens);
}

ComparedPlace PlaceComparer::source() const {
  ComparedPlace result;
  if (passage_.size() == 0) return result;
  const std::size_t last = passage_.size() - 1;
  result.matches = passage_.size();
  result.passage = {passage_.first(), passage_.first() + passage_.size()};
  result.place = result.passage;
  result.occurrence.bytes = {passage_.bytes(0).begin, passage_.bytes(last).end};
  result.occurrence.text = passage_.text(0, last);
  result.occurrence.shared = {{0, result.occurrence.text.size()}};
  return result;
}

ComparedPlace PlaceComparer::compare(const TextPiece& piece, const TokenRange& tokens) {
  return compare(piece, tokens, {passage_.first(), passage_.first() + passage_.size()});
}

TokenRange PlaceComparer::part_of(const TokenRange& part) const {
  const std::uint64_t end = passage_.first() + passage_.size();
  const std::uint64_t first = std::clamp(part.first, passage_.first(), end) - passage_.first();
  return {first, std::clamp(part.last, passage_.first() + first, end) - passage_.first()};
}

ComparedPlace PlaceComparer::compare(const TextPiece& piece, const TokenRange& tokens, const TokenRange& part) {
  place_.read(hasher_, piece, tokens);
  const TokenRange here = part_of(part);
  pairs_.clear();
  for (const blot::Aligner::Run& run : aligner_.align(here.size(), place_.size(), [&](std::size_t i, std::size_t j) {
         return passage_.same(here.first + i, place_, j);
       }))
    for (std::size_t i = 0; i < run.length; ++i) pairs_.push_back({here.first + run.a + i, run.b + i});
  if (pairs_.empty()) return {};
  return place_of_pairs({pairs_.front().passage, pairs_.back().passage + 1}, pairs_.size());
}

ComparedPlace PlaceComparer::compare_loosely(const TextPiece& piece, const TokenRange& tokens, const TokenRange& part) {
  place_.read(hasher_, piece, tokens);
  const TokenRange here = part_of(part);
  std::vector<std::size_t> by_hash;
  for (std::size_t i = here.first; i < here.last; ++i) by_hash.push_back(i);
  std::sort(by_hash.begin(), by_hash.end(), [&](std::size_t x, std::size_t y) {
    return std::pair(passage_.hash(x), x) < std::pair(passage_.hash(y), y);
  });
  std::vector<std::size_t> met(by_hash.size());  // by the first token of a hash: how often
  std::uint64_t matches = 0;
  pairs_.clear();
  choices_.clear();
  for (std::size_t j = 0; j < place_.size(); ++j) {
    const auto found = std::lower_bound(by_hash.begin(), by_hash.end(), place_.hash(j),
                                        [&](std::size_t i, std::uint64_t hash) { return passage_.hash(i) < hash; });
    if (found == by_hash.end() || !passage_.same(*found, place_, j)) continue;
    // Those of the passage are met in order; one that is met more often than it is there agrees, but is no match.
    std::size_t& times = met[static_cast<std::size_t>(found - by_hash.begin())];
    const auto next = found + static_cast<std::ptrdiff_t>(times);
    const bool is_there = next < by_hash.end() && passage_.same(*next, place_, j);
    auto choice = next + std::min(kChoices / 2, by_hash.end() - next);
    for (const auto first = next - std::min(kChoices / 2, next - found); choice != first;)
      if (passage_.same(*--choice, place_, j))
        choices_.push_back({static_cast<std::uint32_t>(*choice), static_cast<std::uint32_t>(j), kNoChoice});
    const std::size_t token = is_there ? *next : *found;
    if (is_there) {
      ++times;
      ++matches;
    }
    pairs_.push_back({token, j});
  }
  if (pairs_.empty()) return {};
  mark_moved(here);
  if (!moved_counts_) matches = static_cast<std::uint64_t>(std::ranges::count(pairs_, false, &Pair::moved));
  // All tokens of the passage that the place holds agree, met or not.
  TokenRange range{here.last, here.first};
  for (std::size_t first = 0, last = 0; first < by_hash.size(); first = last) {
    while (last < by_hash.size() && passage_.hash(by_hash[last]) == passage_.hash(by_hash[first])) ++last;
    if (met[first] == 0) continue;
    range.first = std::min<std::uint64_t>(range.first, by_hash[first]);
    range.last = std::max<std::uint64_t>(range.last, by_hash[last - 1] + 1);
  }
  return place_of_pairs(range, matches);
}

// All but the longest row of choices that rise in both, which is what stands in order (Hunt and Szymanski).
void PlaceComparer::mark_moved(const TokenRange& part) {
  std::vector<std::uint32_t> ends;  // by length of a row, less 1: the choice that ends one, of the least passage
  for (std::uint32_t i = 0; i < choices_.size(); ++i) {
    const auto end = std::lower_bound(ends.begin(), ends.end(), choices_[i].passage,
                                      [&](std::uint32_t at, auto passage) { return choices_[at].passage < passage; });
    if (end != ends.begin()) choices_[i].before = *(end - 1);
    if (end == ends.end())
      ends.push_back(i);
    else
      *end = i;
  }
  for (Pair& pair : pairs_) pair.moved = true;
  std::vector<std::size_t> row;  // of pairs_, from the last on
  std::size_t pair = pairs_.size();
  for (std::uint32_t at = ends.empty() ? kNoChoice : ends.back(); at != kNoChoice; at = choices_[at].before) {
    while (pairs_[--pair].place != choices_[at].place) continue;
    pairs_[pair] = {choices_[at].passage, choices_[at].place, false};
    row.push_back(pair);
  }
  // What stands beside them in both goes along, of the many places of a token, too.
  const auto joins = [&](std::size_t one, std::size_t other, std::size_t passage) {
    if (!pairs_[other].moved || pairs_[std::max(one, other)].place != pairs_[std::min(one, other)].place + 1)
      return false;
    if (!passage_.same(passage, place_, pairs_[other].place)) return false;
    pairs_[other] = {passage, pairs_[other].place, false};
    return true;
  };
  std::size_t end = part.last;
  for (std::size_t i = 0; i < row.size(); ++i) {
    std::size_t at = row[i];
    while (at + 1 < pairs_.size() && pairs_[at].passage + 1 < end && joins(at, at + 1, pairs_[at].passage + 1)) ++at;
    const std::size_t begin = i + 1 < row.size() ? pairs_[row[i + 1]].passage + 1 : part.first;
    at = row[i];
    while (at > 0 && pairs_[at].passage > begin && joins(at, at - 1, pairs_[at].passage - 1)) --at;
    end = pairs_[at].passage;
  }
}

// `range` of the passage agrees with the tokens in pairs_.
ComparedPlace PlaceComparer::place_of_pairs(const TokenRange& range, std::uint64_t matches) {
  ComparedPlace result;
  const std::size_t first = pairs_.front().place;
  const std::size_t last = pairs_.back().place;
  result.matches = matches;
  result.passage = {passage_.first() + range.first, passage_.first() + range.last};
  result.place = {place_.first() + first, place_.first() + last + 1};
  Occurrence& occurrence = result.occurrence;
  occurrence.bytes = {place_.bytes(first).begin, place_.bytes(last).end};
  occurrence.text = place_.text(first, last);
  occurrence.query = {passage_.bytes(range.first).begin, passage_.bytes(range.last - 1).end};
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    const ByteRange bytes = place_.bytes(pairs_[i].place);
    const ByteRange here{bytes.begin - occurrence.bytes.begin, bytes.end - occurrence.bytes.begin};
    // Where nothing here differs in between, what is shared goes on.
    if (i > 0 && pairs_[i].place == pairs_[i - 1].place + 1)
      occurrence.shared.back().end = here.end;
    else
      occurrence.shared.push_back(here);
    if (!pairs_[i].moved) continue;
    if (i > 0 && pairs_[i - 1].moved && pairs_[i].place == pairs_[i - 1].place + 1)
      occurrence.moved.back().end = here.end;
    else
      occurrence.moved.push_back(here);
  }
  occurrence.similarity = static_cast<double>(result.matches) /
                          static_cast<double>(std::max<std::uint64_t>(passage_.size(), result.place.size()));
  return result;
}

// What the tokens that agree weigh: each the more, the rarer it is in the two passages, and the rarer the phrase is; and the
// less, the further it is from the one before it: words of one subject that are scattered say little.
double PlaceComparer::score(const ComparedPlace& place, std::span<const std::uint16_t> rarity,
                            std::uint32_t whole) const {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = place.passage.first; i < place.passage.last; ++i)
    hashes.push_back(passage_.hash(i - passage_.first()));
  for (std::uint64_t i = place.place.first; i < place.place.last; ++i)
    hashes.push_back(place_.hash(i - place_.first()));
  std::sort(hashes.begin(), hashes.end());
  const auto skipped = [](std::uint32_t from, std::uint32_t to) { return to > from ? to - from - 1 : from - to + 1; };
  std::uint64_t weight = 0;
  // Of a passage that is much longer than the other one, most has nothing to do with it.
  const std::uint32_t all = blot::log2_sixteenths(2 * std::min(place.passage.size(), place.place.size()));
  std::vector<bool> counted(passage_.size());
  const Pair* before = nullptr;
  for (const Pair& pair : pairs_) {
    if ((pair.moved && !moved_counts_) || counted[pair.passage]) continue;
    counted[pair.passage] = true;
    const auto [begin, end] = std::equal_range(hashes.begin(), hashes.end(), place_.hash(pair.place));
    const std::uint32_t common = blot::log2_sixteenths(static_cast<std::uint64_t>(end - begin));
    const std::uint64_t apart =
        before == nullptr ? 0
                          : std::uint64_t{skipped(before->passage, pair.passage)} + skipped(before->place, pair.place);
    const std::uint32_t cost = std::min(all, common + blot::log2_sixteenths(1 + apart));
    weight += std::uint64_t{all - cost} * rarity[passage_.first() + pair.passage];
    before = &pair;
  }
  return static_cast<double>(weight) / 16 / whole;
}

}  // namespace refrain::verbs::index
