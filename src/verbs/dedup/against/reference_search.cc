#include "verbs/dedup/against/reference_search.h"

#include <algorithm>
#include <tuple>

namespace refrain::verbs::dedup {

namespace {

constexpr std::uint64_t kLeastSegment = std::uint64_t{1} << 14;
constexpr const char* kSearched = "a stretch of a document";

}  // namespace

ReferenceSearch::ReferenceSearch(const ReferenceWindows& windows, TokenizerKind tokenizer, MemoryBudget& budget)
    : windows_(windows),
      hasher_(tokenizer),
      edits_(budget, windows.set().numbers()),
      segment_(std::max(kLeastSegment, 4 * windows.overlap())),
      tokens_(budget, kSearched),
      ranges_(budget, kSearched),
      hits_(budget, "candidate places of an item") {}

void ReferenceSearch::search(std::string_view text, const std::function<void(const ReferenceFound&)>& found) {
  if (windows_.lengths().empty()) return;
  tokens_.clear();
  ranges_.clear();
  places_.clear();
  first_ = 0;
  hasher_.read(text, [&](const text::TokenStretch& stretch) {
    for (std::size_t i = 0; i < stretch.size(); ++i) {
      if (tokens_.size() == segment_) {
        search_segment();
        const std::size_t gone = segment_ - windows_.overlap();
        std::copy(tokens_.begin() + gone, tokens_.end(), tokens_.begin());
        std::copy(ranges_.begin() + gone, ranges_.end(), ranges_.begin());
        tokens_.resize(segment_ - gone);
        ranges_.resize(segment_ - gone);
        first_ += gone;
      }
      tokens_.push_back(windows_.set().number(stretch.normal(i), stretch.hashes()[i]));
      ranges_.push_back(stretch.range(i));
    }
  });
  search_segment();
  if (places_.empty()) return;

  join_passages();
  // Sorts the best place of each item to the front.
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) {
    const auto order = [](const Place& p) {
      return std::tuple(p.item, !p.whole, p.whole ? p.distance : ~(p.end - p.begin), p.end, ~p.begin);
    };
    return order(a) < order(b);
  });
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    if (i != 0 && places_[i - 1].item == place.item) continue;
    const auto tokens = static_cast<double>(windows_.set().item(place.item).size());
    const double share = place.whole ? 1 - static_cast<double>(place.distance) / tokens
                                     : static_cast<double>(place.end - place.begin) / tokens;
    found({place.item, share, place.bytes});
  }
}

void ReferenceSearch::search_segment() {
  propose();
  if (hits_.empty()) return;
  std::sort(hits_.begin(), hits_.end());
  for (std::size_t begin = 0; begin < hits_.size();) {
    std::size_t end = begin;
    while (end < hits_.size() && hits_[end].item == hits_[begin].item && hits_[end].passage == hits_[begin].passage)
      ++end;
    const std::span<const Hit> same(hits_.data() + begin, end - begin);
    if (same.front().passage != 0)
      look_for_passages(same.front().item, same);
    else
      look_for_whole(same.front().item, same);
    begin = end;
  }
}

void ReferenceSearch::propose() {
  hits_.clear();
  const std::span<const ReferenceWindows::Length> lengths = windows_.lengths();
  sums_.assign(lengths.size(), 0);
  std::size_t known = 0;  // consecutive tokens that occur in the set
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    if (tokens_[i] == kUnknown) {
      known = 0;
      continue;
    }
    if (known == 0) std::fill(sums_.begin(), sums_.end(), 0);
    ++known;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      const std::uint32_t length = lengths[k].tokens;
      sums_[k] = ReferenceWindows::roll(sums_[k], tokens_[i]);
      if (known > length) sums_[k] -= tokens_[i - length] * lengths[k].leaving;
      if (known < length) continue;
      for (const ReferenceWindows::Holder& holder : windows_.find(ReferenceWindows::key(sums_[k], length)))
        hits_.push_back({holder.item, holder.passage, static_cast<std::uint32_t>(i + 1 - length),
                         holder.passage != 0 || holder.copies == 1 ? holder.offset : kAnywhere});
    }
  }
}

void ReferenceSearch::look_for_whole(std::uint32_t item, std::span<const Hit> hits) {
  const std::span<const std::uint32_t> pattern = windows_.set().item(item);
  const std::uint64_t edits = most_edits(pattern.size(), windows_.rules().share);
  const std::uint64_t longest = pattern.size() + edits;
  const std::size_t least = windows_.least_hits(item);
  std::size_t begin = 0;  // [begin, end): the tokens that the item may cover, given the hits so far
  std::size_t end = 0;
  const auto look = [&] {
    if (begin == end) return;
    if (const auto place = edits_.find(pattern, std::span(tokens_.data() + begin, end - begin), edits))
      keep({.item = item, .whole = true, .distance = place->distance, .bytes = {}}, begin + place->begin,
           begin + place->end);
  };
  std::size_t taken = 0;  // hits before this one are covered by [begin, end)
  for (std::size_t i = 0; i + least <= hits.size(); ++i) {
    if (hits[i + least - 1].at - hits[i].at > longest) continue;
    for (taken = std::max(taken, i); taken < i + least; ++taken) {
      const Hit& hit = hits[taken];
      const std::uint64_t before = hit.offset == kAnywhere ? longest : hit.offset + edits;
      const std::uint64_t after = hit.offset == kAnywhere ? longest : longest - hit.offset;
      const std::size_t first = hit.at - std::min<std::uint64_t>(before, hit.at);
      const std::size_t last = std::min<std::uint64_t>(tokens_.size(), hit.at + after);
      // Hits are in ascending order, but the tokens that the item may cover need not be.
      if (begin != end && first > end) {
        look();
        begin = end = 0;
      }
      begin = begin == end ? first : std::min(begin, first);
      end = std::max(end, last);
    }
  }
  look();
}

void ReferenceSearch::look_for_passages(std::uint32_t item, std::span<const Hit> hits) {
  const std::span<const std::uint32_t> tokens = windows_.set().item(item);
  std::size_t done = 0;  // end of the last passage
  for (const Hit& hit : hits) {
    if (hit.at < done) continue;
    std::size_t before = 0;
    while (before < hit.at && before < hit.offset && tokens_[hit.at - before - 1] == tokens[hit.offset - before - 1])
      ++before;
    std::size_t after = 0;
    while (hit.at + after < tokens_.size() && hit.offset + after < tokens.size() &&
           tokens_[hit.at + after] == tokens[hit.offset + after])
      ++after;
    if (before + after < windows_.rules().passage) continue;
    done = hit.at + after;
    keep({.item = item, .offset = hit.offset - before, .bytes = {}}, hit.at - before, done);
  }
}

void ReferenceSearch::keep(Place place, std::size_t begin, std::size_t end) {
  place.begin = first_ + begin;
  place.end = first_ + end;
  place.bytes = {ranges_[begin].begin, ranges_[end - 1].end};
  places_.push_back(place);
}

// Joins the parts of a passage that continues from one segment into the next.
void ReferenceSearch::join_passages() {
  const auto diagonal = [](const Place& place) { return place.begin - place.offset; };
  std::sort(places_.begin(), places_.end(), [&](const Place& a, const Place& b) {
    return std::tuple(a.item, a.whole, diagonal(a), a.begin) < std::tuple(b.item, b.whole, diagonal(b), b.begin);
  });
  std::size_t kept = 0;
  for (const Place& place : places_) {
    Place* const last = kept == 0 ? nullptr : &places_[kept - 1];
    if (last != nullptr && !place.whole && !last->whole && last->item == place.item &&
        diagonal(*last) == diagonal(place) && place.begin <= last->end) {
      if (place.end > last->end) std::tie(last->end, last->bytes.end) = std::tuple(place.end, place.bytes.end);
      continue;
    }
    places_[kept++] = place;
  }
  places_.resize(kept);
}

}  // namespace refrain::verbs::dedup
