#include "verbs/index/read/occurrence.h"

#include <algorithm>
#include <utility>

#include "engines/blot/finder.h"

namespace refrain::verbs::index {

namespace {

constexpr unsigned kUsualGap = 8;

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
    : hasher_(layout.tokenizer), aligner_(align_rules(layout, limits)) {}

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
  for (std::size_t j = 0; j < place_.size(); ++j) {
    const auto found = std::lower_bound(by_hash.begin(), by_hash.end(), place_.hash(j),
                                        [&](std::size_t i, std::uint64_t hash) { return passage_.hash(i) < hash; });
    if (found == by_hash.end() || !passage_.same(*found, place_, j)) continue;
    // Those of the passage are met in order; one that is met more often than it is there agrees, but is no match.
    std::size_t& times = met[static_cast<std::size_t>(found - by_hash.begin())];
    const auto next = found + static_cast<std::ptrdiff_t>(times);
    const bool is_there = next < by_hash.end() && passage_.same(*next, place_, j);
    const std::size_t token = is_there ? *next : *found;
    if (is_there) {
      ++times;
      ++matches;
    }
    pairs_.push_back({token, j});
  }
  if (pairs_.empty()) return {};
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
  }
  occurrence.similarity = static_cast<double>(result.matches) /
                          static_cast<double>(std::max<std::uint64_t>(passage_.size(), result.place.size()));
  return result;
}

// What the tokens that agree weigh: each the more, the rarer it is in the two texts.
double PlaceComparer::score(const ComparedPlace& place) const {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t i = place.passage.first; i < place.passage.last; ++i)
    hashes.push_back(passage_.hash(i - passage_.first()));
  for (std::uint64_t i = place.place.first; i < place.place.last; ++i)
    hashes.push_back(place_.hash(i - place_.first()));
  std::sort(hashes.begin(), hashes.end());
  std::uint64_t sixteenths = 0;
  const std::uint32_t all = blot::log2_sixteenths(hashes.size());
  for (const Pair& pair : pairs_) {
    const auto [begin, end] = std::equal_range(hashes.begin(), hashes.end(), place_.hash(pair.place));
    sixteenths += all - blot::log2_sixteenths(static_cast<std::uint64_t>(end - begin));
  }
  return static_cast<double>(sixteenths) / 16;
}

}  // namespace refrain::verbs::index
