#include "verbs/index/read/occurrence.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "engines/blot/finder.h"

namespace refrain::verbs::index {

namespace {

constexpr unsigned kUsualGap = 8;
// If the passage holds a token often, each occurrence in the place is a choice with up to this many of its
// occurrences in the passage: those of about the same rank.
constexpr std::size_t kChoices = 4;
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

void PassageWords::set(const PlaceTokens& passage) {
  passage_ = &passage;
  const std::size_t slots = std::bit_ceil(passage.size() + passage.size() / 2 + 2);
  shift_ = 64U - static_cast<unsigned>(std::countr_zero(slots));
  slots_.assign(slots, kNone);
  numbers_.clear();
  numbers_.reserve(passage.size());
  begins_.assign(1, 0);
  for (std::size_t i = 0; i < passage.size(); ++i) {
    std::uint32_t& slot = slots_[slot_of(passage, i)];
    if (slot == kNone) {
      slot = static_cast<std::uint32_t>(i);
      numbers_.push_back(static_cast<std::uint32_t>(begins_.size() - 1));
      begins_.push_back(0);
    } else {
      numbers_.push_back(numbers_[slot]);
    }
    ++begins_[numbers_.back() + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  tokens_.resize(passage.size());
  for (std::size_t i = passage.size(); i-- > 0;) tokens_[--begins_[numbers_[i] + 1]] = static_cast<std::uint32_t>(i);
  // begins_[w + 1] is now where word w begins.
  begins_.erase(begins_.begin());
  begins_.push_back(static_cast<std::uint32_t>(passage.size()));
}

// The slot that holds this token, or the empty slot where it would go.
std::size_t PassageWords::slot_of(const PlaceTokens& tokens, std::size_t i) const {
  std::size_t at = (tokens.hash(i) * 0x9e3779b97f4a7c15U) >> shift_;
  while (slots_[at] != kNone && !passage_->same(slots_[at], tokens, i)) at = (at + 1) & (slots_.size() - 1);
  return at;
}

std::uint32_t PassageWords::number(const PlaceTokens& tokens, std::size_t i) const {
  const std::uint32_t token = slots_[slot_of(tokens, i)];
  return token == kNone ? kNone : numbers_[token];
}

std::span<const std::uint32_t> PassageWords::tokens(std::uint32_t word, const TokenRange& part) const {
  const auto all = std::span(tokens_).subspan(begins_[word], begins_[word + 1] - begins_[word]);
  const auto first = std::lower_bound(all.begin(), all.end(), part.first);
  return {first, std::lower_bound(first, all.end(), part.last)};
}

PlaceComparer::PlaceComparer(const IndexLayout& layout, const PassageLimits& limits)
    : hasher_(layout.tokenizer),
      aligner_(align_rules(layout, limits)),
      moved_counts_(limits.edits == Edits::heavy || layout.blots != BlotKind::ordered) {}

void PlaceComparer::set_passage(const TextPiece& piece, const TokenRange& tokens) {
  passage_.read(hasher_, piece, tokens);
  words_.set(passage_);
}

void PlaceComparer::read_place(const TextPiece& piece, const TokenRange& tokens) {
  place_.read(hasher_, piece, tokens);
  place_words_.resize(place_.size());
  for (std::size_t j = 0; j < place_.size(); ++j) place_words_[j] = words_.number(place_, j);
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
  read_place(piece, tokens);
  const TokenRange here = part_of(part);
  pairs_.clear();
  for (const blot::Aligner::Run& run : aligner_.align(words_.numbers().subspan(here.first, here.size()), place_words_))
    for (std::size_t i = 0; i < run.length; ++i) pairs_.push_back({here.first + run.a + i, run.b + i});
  if (pairs_.empty()) return {};
  return place_of_pairs({pairs_.front().passage, pairs_.back().passage + 1}, pairs_.size());
}

ComparedPlace PlaceComparer::compare_loosely(const TextPiece& piece, const TokenRange& tokens, const TokenRange& part) {
  read_place(piece, tokens);
  const TokenRange here = part_of(part);
  counts_.assign(words_.size(), 0);  // how often each word has been met
  std::uint64_t matches = 0;
  TokenRange range{here.last, here.first};  // spans all tokens of the passage that the place holds, met or not
  pairs_.clear();
  choices_.clear();
  for (std::size_t j = 0; j < place_.size(); ++j) {
    if (place_words_[j] == PassageWords::kNone) continue;
    const std::span<const std::uint32_t> same = words_.tokens(place_words_[j], here);
    if (same.empty()) continue;
    range = {std::min<std::uint64_t>(range.first, same.front()), std::max<std::uint64_t>(range.last, same.back() + 1)};
    // Equal tokens of the passage are met in order. A token that occurs more often in the place agrees, but is not a
    // match.
    const std::size_t next = counts_[place_words_[j]];
    const std::size_t first = next - std::min(kChoices / 2, next);
    for (std::size_t choice = std::min(next + kChoices / 2, same.size()); choice-- > first;)
      choices_.push_back({same[choice], static_cast<std::uint32_t>(j), kNoChoice});
    pairs_.push_back({next < same.size() ? same[next] : same.front(), j});
    if (next == same.size()) continue;
    ++counts_[place_words_[j]];
    ++matches;
  }
  if (pairs_.empty()) return {};
  mark_moved(here);
  if (!moved_counts_) matches = static_cast<std::uint64_t>(std::ranges::count(pairs_, false, &Pair::moved));
  return place_of_pairs(range, matches);
}

// Marks all pairs as moved except those in the longest row of choices that ascend in both texts: these are in order
// (Hunt and Szymanski).
void PlaceComparer::mark_moved(const TokenRange& part) {
  struct Row {
    std::uint32_t passage;
    std::uint32_t choice;
  };
  std::vector<Row> ends;  // by length of a row, minus 1: the choice with the least passage that ends such a row
  for (std::uint32_t i = 0; i < choices_.size(); ++i) {
    const Row row{choices_[i].passage, i};
    auto end = ends.end();
    if (end != ends.begin() && ends.back().passage >= row.passage)  // most are in order
      end = std::ranges::lower_bound(ends, row.passage, {}, &Row::passage);
    if (end != ends.begin()) choices_[i].before = (end - 1)->choice;
    if (end == ends.end())
      ends.push_back(row);
    else
      *end = row;
  }
  for (Pair& pair : pairs_) pair.moved = true;
  std::vector<std::size_t> row;  // indexes into pairs_, from the last to the first
  std::size_t pair = pairs_.size();
  for (std::uint32_t at = ends.empty() ? kNoChoice : ends.back().choice; at != kNoChoice; at = choices_[at].before) {
    while (pairs_[--pair].place != choices_[at].place) continue;
    pairs_[pair] = {choices_[at].passage, choices_[at].place, false};
    row.push_back(pair);
  }
  // Tokens next to these in both texts are in order too, even if the passage holds such a token in many places.
  const auto joins = [&](std::size_t one, std::size_t other, std::size_t passage) {
    if (!pairs_[other].moved || pairs_[std::max(one, other)].place != pairs_[std::min(one, other)].place + 1)
      return false;
    if (words_.numbers()[passage] != place_words_[pairs_[other].place]) return false;
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

// Makes the result from pairs_. `range` is the part of the passage that they agree with.
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
    // A shared range continues if no other token of the place lies in between.
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

// The total weight of the tokens that agree. A token weighs more the rarer it is in the two passages and the rarer
// its phrase is, and less the further it is from the one before it: scattered words of one subject mean little.
double PlaceComparer::score(const ComparedPlace& place, std::span<const std::uint16_t> rarity, std::uint32_t whole) {
  counts_.assign(words_.size(), 0);  // in both passages
  for (std::uint64_t i = place.passage.first; i < place.passage.last; ++i)
    ++counts_[words_.numbers()[i - passage_.first()]];
  for (std::uint64_t j = place.place.first; j < place.place.last; ++j)
    if (const std::uint32_t word = place_words_[j - place_.first()]; word != PassageWords::kNone) ++counts_[word];
  const auto skipped = [](std::uint32_t from, std::uint32_t to) { return to > from ? to - from - 1 : from - to + 1; };
  std::uint64_t weight = 0;
  // If one passage is much longer than the other, most of it is unrelated.
  const std::uint32_t all = blot::log2_sixteenths(2 * std::min(place.passage.size(), place.place.size()));
  std::vector<bool> counted(passage_.size());
  const Pair* before = nullptr;
  for (const Pair& pair : pairs_) {
    if ((pair.moved && !moved_counts_) || counted[pair.passage]) continue;
    counted[pair.passage] = true;
    const std::uint32_t common = blot::log2_sixteenths(counts_[place_words_[pair.place]]);
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
