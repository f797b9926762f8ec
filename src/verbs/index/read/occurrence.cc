#include "verbs/index/read/occurrence.h"

#include <algorithm>

namespace refrain::verbs::index {

blot::AlignRules align_rules(const IndexLayout& layout, const PassageLimits& limits) {
  return {.match = layout.interleave,
          .edit = text::tokens_are_characters(layout.tokenizer) ? 2U : 1U,
          .max_gap = limits.max_gap};
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

ComparedPlace PlaceComparer::compare(const TextPiece& piece, const TokenRange& tokens, const TokenRange& part) {
  ComparedPlace result;
  place_.read(hasher_, piece, tokens);
  const std::uint64_t end = passage_.first() + passage_.size();
  const std::size_t first = std::clamp(part.first, passage_.first(), end) - passage_.first();
  const std::size_t last = std::clamp(part.last, passage_.first() + first, end) - passage_.first();
  const std::vector<blot::Aligner::Run> runs = aligner_.align(
      last - first, place_.size(), [&](std::size_t i, std::size_t j) { return passage_.same(first + i, place_, j); });
  if (runs.empty()) return result;
  const std::size_t place_first = runs.front().b;
  const std::size_t place_last = runs.back().b + runs.back().length - 1;
  result.passage = {passage_.first() + first + runs.front().a,
                    passage_.first() + first + runs.back().a + runs.back().length};
  result.place = {place_.first() + place_first, place_.first() + place_last + 1};
  Occurrence& occurrence = result.occurrence;
  occurrence.bytes = {place_.bytes(place_first).begin, place_.bytes(place_last).end};
  occurrence.text = place_.text(place_first, place_last);
  std::size_t next = place_first;  // the token behind the last shared one
  for (const blot::Aligner::Run& run : runs) {
    result.matches += run.length;
    const std::uint64_t begin = place_.bytes(run.b).begin - occurrence.bytes.begin;
    const std::uint64_t run_end = place_.bytes(run.b + run.length - 1).end - occurrence.bytes.begin;
    // Where only the passage has more in between, what is shared goes on here.
    if (run.b == next && !occurrence.shared.empty())
      occurrence.shared.back().end = run_end;
    else
      occurrence.shared.push_back({begin, run_end});
    next = run.b + run.length;
  }
  occurrence.similarity = static_cast<double>(result.matches) /
                          static_cast<double>(std::max<std::uint64_t>(passage_.size(), result.place.size()));
  return result;
}

}  // namespace refrain::verbs::index
