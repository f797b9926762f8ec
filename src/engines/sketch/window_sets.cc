#include "engines/sketch/window_sets.h"

#include <algorithm>
#include <utility>

#include "engines/sketch/feature_set.h"

namespace refrain::sketch {

namespace {

constexpr std::uint64_t kHeldOverhead = 128;  // bytes of a cached set besides its features

std::uint64_t bytes_of(const WindowSets::Set& set) {
  return set.size() * sizeof(std::uint64_t) + kHeldOverhead;
}

}  // namespace

WindowSets::WindowSets(const text::FeaturePlan& plan, MemoryBudget& budget, std::uint64_t memory_bytes)
    : memory_bytes_(memory_bytes),
      reservation_(budget.reserve(memory_bytes, "the windows of documents")),
      stream_(plan) {}

const WindowSets::Set* WindowSets::find(std::uint64_t key) {
  const auto found = places_.find(key);
  if (found == places_.end()) return nullptr;
  held_.splice(held_.begin(), held_, found->second);
  return &held_.front().set;
}

WindowSets::Set WindowSets::make(std::string_view text, const text::LeftOut* left_out, std::size_t room,
                                 std::uint64_t beside) {
  Set set;
  set.reserve(room);
  text::compared_windows(
      text, left_out, stream_, [&] { set.clear(); },
      [&](std::span<const std::uint64_t> features) {
        if (set.size() + features.size() > room) {
          const std::size_t wanted = std::max(2 * room, set.size() + features.size());
          reserve_beside(beside + (room + wanted) * sizeof(std::uint64_t));
          set.reserve(room = wanted);
        }
        set.insert(set.end(), features.begin(), features.end());
      });
  make_set(set);
  set.shrink_to_fit();
  return set;
}

const WindowSets::Set& WindowSets::remember(std::uint64_t key, Set set) {
  held_bytes_ += bytes_of(set);
  // The most recently used set always stays, because it is the other one of the current pair.
  while (held_bytes_ > memory_bytes_ && held_.size() > 1) {
    held_bytes_ -= bytes_of(held_.back().set);
    places_.erase(held_.back().key);
    held_.pop_back();
  }
  reserve_beside(0);
  held_.push_front({key, std::move(set)});
  places_[key] = held_.begin();
  return held_.front().set;
}

void WindowSets::reserve_beside(std::uint64_t bytes) {
  reservation_.resize(std::max(memory_bytes_, held_bytes_ + bytes), "the windows of a long document");
}

}  // namespace refrain::sketch
