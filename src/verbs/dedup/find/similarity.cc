#include "verbs/dedup/find/similarity.h"

#include <algorithm>

#include "engines/sketch/feature_set.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::uint64_t kHeldOverhead = 128;  // of a set that is remembered, beside its features
constexpr std::size_t kHeldText = std::size_t{1} << 20;

}  // namespace

Similarity::Similarity(DedupRun& run, const text::FeaturePlan& plan, std::uint64_t memory_bytes)
    : memory_bytes_(memory_bytes),
      reservation_(run.budget.reserve(memory_bytes, "the windows of documents")),
      texts_(run.dir.work("text"), run.dir.work("text_ends")),
      stream_(plan) {}

double Similarity::of(DocId a, DocId b, double threshold) {
  const std::vector<std::uint64_t>& first = set_of(a);
  // A second set may push the first one out only where both together are too much; the one used last stays.
  const std::vector<std::uint64_t>& second = set_of(b);
  const std::size_t least = sketch::common_for(threshold, first.size(), second.size());
  if (least > std::min(first.size(), second.size())) return 0;
  const std::size_t common = sketch::common_features(first, second, least);
  if (common < least) return 0;
  return static_cast<double>(common) / static_cast<double>(first.size() + second.size() - common);
}

const std::vector<std::uint64_t>& Similarity::set_of(DocId document) {
  if (const auto found = places_.find(document); found != places_.end()) {
    held_.splice(held_.begin(), held_, found->second);
    return held_.front().set;
  }
  std::vector<std::uint64_t> set = make(document);
  held_bytes_ += set.size() * sizeof(std::uint64_t) + kHeldOverhead;
  // The last one stays, whatever it takes: it is the other of the pair.
  while (held_bytes_ > memory_bytes_ && held_.size() > 1) {
    held_bytes_ -= held_.back().set.size() * sizeof(std::uint64_t) + kHeldOverhead;
    places_.erase(held_.back().document);
    held_.pop_back();
  }
  reserve_beside(0);
  held_.push_front({document, std::move(set)});
  places_[document] = held_.begin();
  return held_.front().set;
}

std::vector<std::uint64_t> Similarity::make(DocId document) {
  const ByteRange range = texts_.range(document);
  const std::uint64_t bytes = range.end - range.begin;
  std::vector<std::uint64_t> set;
  std::size_t room = static_cast<std::size_t>(bytes) / 5 + 16;
  reserve_beside(bytes + room * sizeof(std::uint64_t));
  set.reserve(room);
  stream_.start(texts_.get(document, scratch_));
  for (std::span<const std::uint64_t> features; stream_.next(features);) {
    if (set.size() + features.size() > room) {
      const std::size_t wanted = std::max(2 * room, set.size() + features.size());
      reserve_beside(bytes + (room + wanted) * sizeof(std::uint64_t));
      set.reserve(room = wanted);
    }
    set.insert(set.end(), features.begin(), features.end());
  }
  sketch::make_set(set);
  set.shrink_to_fit();
  // A long text is not kept: nobody else would have its room.
  if (scratch_.capacity() > kHeldText) std::string().swap(scratch_);
  return set;
}

void Similarity::reserve_beside(std::uint64_t bytes) {
  reservation_.resize(std::max(memory_bytes_, held_bytes_ + bytes), "the windows of a long document");
}

}  // namespace refrain::verbs::dedup
