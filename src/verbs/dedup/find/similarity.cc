#include "verbs/dedup/find/similarity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engines/sketch/feature_set.h"
#include "engines/sketch/minhash.h"
#include "verbs/run/column.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::uint64_t kHeldOverhead = 128;  // of a set that is remembered, beside its features
constexpr std::size_t kHeldText = std::size_t{1} << 20;

// Of two signatures, the fewest equal bytes with which the documents may be `threshold` similar.
unsigned least_equal(double threshold, unsigned lanes) {
  const double chance = threshold + (1 - threshold) / 256;
  const double deviation = std::sqrt(chance * (1 - chance) / lanes);
  return static_cast<unsigned>(std::max(0.0, std::ceil((chance - 4 * deviation) * lanes)));
}

}  // namespace

Sketches::Sketches(DedupRun& run)
    : simhash_(run.options.near == NearMethod::simhash),
      width_(simhash_ ? sizeof(std::uint64_t) : run.options.lanes),
      limit_(simhash_ ? run.options.distance : least_equal(run.options.threshold, run.options.lanes)),
      close_(simhash_ ? run.options.close : 0),
      short_bytes_(run.options.short_bytes),
      held_(run.budget, "the signatures"),
      text_ends_(run.budget, "the lengths of the texts") {
  const std::filesystem::path path = run.dir.work(simhash_ ? "fingerprints" : "lanes");
  if (run.documents() * width_ <= run.budget.available() / 2)
    held_ = run::load_column<std::uint8_t>(path, run.budget, "the signatures");
  else
    file_.emplace(path);
  if (simhash_ && close_ < limit_)
    text_ends_ = run::load_column<std::uint64_t>(run.dir.work("text_ends"), run.budget, "the lengths of the texts");
}

const std::uint8_t* Sketches::get(DocId document, std::vector<std::uint8_t>& scratch) const {
  if (!file_) return held_.data() + document * width_;
  scratch.resize(width_);
  file_->read(document * width_, {reinterpret_cast<char*>(scratch.data()), scratch.size()});
  return scratch.data();
}

bool Sketches::may_match(const std::uint8_t* earlier, const std::uint8_t* later, DocId document) const {
  if (!simhash_) return sketch::equal_bytes(earlier, later, width_) >= limit_;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  std::memcpy(&first, earlier, sizeof first);
  std::memcpy(&second, later, sizeof second);
  const auto difference = static_cast<unsigned>(std::popcount(first ^ second));
  if (difference <= close_ || difference > limit_) return difference <= limit_;
  return text_ends_[document] - (document == 0 ? 0 : text_ends_[document - 1]) <= short_bytes_;
}

void Sketches::may_match(const std::uint8_t* earlier, const std::uint8_t* laters, std::span<const DocId> documents,
                         std::vector<std::uint32_t>& places) const {
  if (!simhash_) return sketch::find_equal_bytes(earlier, laters, documents.size(), width_, limit_, places);
  for (std::size_t i = 0; i < documents.size(); ++i)
    if (may_match(earlier, laters + i * width_, documents[i])) places.push_back(static_cast<std::uint32_t>(i));
}

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
