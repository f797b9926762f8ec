#include "engines/ngram/candidates.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/threads.h"

namespace refrain::ngram {

Candidates::Candidates(unsigned position_bits, unsigned workers, std::size_t parts, std::size_t segment_places,
                       MemoryBudget& budget)
    : position_bits_(position_bits),
      segment_places_(segment_places),
      budget_(budget),
      workers_(workers),
      parts_(parts),
      bases_(parts + 1) {}

void Candidates::begin_group(unsigned worker, std::size_t part) {
  workers_[worker].part = part;
  ++parts_[part].groups;
}

// Returns the worker's segment, with room for at least one place, and makes its last stretch belong to `part`.
Candidates::Segment& Candidates::segment_for(Worker& worker, std::size_t part) {
  if (worker.segment == nullptr || worker.segment->used == segment_places_) {
    const std::lock_guard lock(mutex_);
    worker.segment = &segments_.emplace_back(budget_, segment_places_);
    worker.number = segments_.size() - 1;
  }
  std::vector<Stretch>& stretches = parts_[part].stretches;
  if (stretches.empty() || stretches.back().segment != worker.number)
    stretches.push_back({worker.number, worker.segment->used, 0});
  return *worker.segment;
}

void Candidates::add(unsigned worker, std::span<const std::uint64_t> records) {
  Worker& mine = workers_[worker];
  Part& part = parts_[mine.part];
  const std::uint64_t group = (part.groups - 1) << position_bits_;
  const std::uint64_t mask = low_mask(position_bits_);
  while (!records.empty()) {
    Segment& segment = segment_for(mine, mine.part);
    const std::size_t size = std::min(records.size(), segment_places_ - segment.used);
    std::uint64_t* out = segment.places.data() + segment.used;
    for (std::size_t i = 0; i < size; ++i) out[i] = group | (records[i] & mask);
    segment.used += size;
    part.stretches.back().size += size;
    records = records.subspan(size);
  }
}

std::uint64_t Candidates::places() const {
  std::uint64_t sum = 0;
  for (const Segment& segment : segments_) sum += segment.used;
  return sum;
}

std::uint64_t Candidates::groups() const {
  std::uint64_t sum = 0;
  for (const Part& part : parts_) sum += part.groups;
  return sum;
}

void Candidates::clear() {
  segments_.clear();
  for (Worker& worker : workers_) worker = {};
  for (Part& part : parts_) part = {};
}

void Candidates::number(const Context& context) {
  for (std::size_t part = 0; part < parts_.size(); ++part) bases_[part + 1] = bases_[part] + parts_[part].groups;
  if (bases_.back() > most_groups()) throw std::logic_error("candidates: too many groups");
  parallel_for(thread_count(context), parts_.size(), [&](unsigned, std::size_t part) {
    const std::uint64_t base = bases_[part] << position_bits_;
    for (const Stretch& stretch : parts_[part].stretches)
      for (std::uint64_t& place : std::span(segments_[stretch.segment].places.data() + stretch.begin, stretch.size))
        place += base;
  });
}

void Candidates::sort_by_position(const Context& context) {
  parallel_for(thread_count(context), segments_.size(), [&](unsigned, std::size_t s) {
    throw_if_stopped(context);
    Segment& segment = segments_[s];
    for (std::uint64_t& place : std::span(segment.places.data(), segment.used))
      place = std::rotr(place, static_cast<int>(position_bits_));
    store::sort_numbers({segment.places.data(), segment.used});
  });
}

void Candidates::sort_by_group(const Context& context) {
  parallel_for(thread_count(context), segments_.size(), [&](unsigned, std::size_t s) {
    throw_if_stopped(context);
    Segment& segment = segments_[s];
    for (std::uint64_t& place : std::span(segment.places.data(), segment.used))
      place = std::rotl(place, static_cast<int>(position_bits_));
    store::sort_numbers({segment.places.data(), segment.used});
  });
}

void Candidates::seek(Cursor& cursor, std::uint64_t position) const {
  cursor.resize(segments_.size());
  const std::uint64_t least = position << (64 - position_bits_);
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const std::uint64_t* begin = segments_[s].places.data();
    cursor[s] = static_cast<std::size_t>(std::lower_bound(begin, begin + segments_[s].used, least) - begin);
  }
}

std::span<const std::uint64_t> Candidates::clip(const Stretch& stretch, std::uint64_t first, std::uint64_t last) const {
  const std::uint64_t* begin = segments_[stretch.segment].places.data() + stretch.begin;
  const std::uint64_t* end = begin + stretch.size;
  const auto before = [&](std::uint64_t record, std::uint64_t group) { return group_of(record) < group; };
  begin = std::lower_bound(begin, end, first, before);
  return {begin, std::lower_bound(begin, end, last, before)};
}

}  // namespace refrain::ngram
