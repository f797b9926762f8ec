#include "engines/substring/resolver.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace refrain::substring {

namespace {

// A window that begins `offset` bytes before the core is bit 63 - offset, so the bits are in the order of the text.
constexpr unsigned bit_of(std::size_t bytes_before) {
  return static_cast<unsigned>(63 - bytes_before);
}

// The bits [first, last].
constexpr std::uint64_t bits(unsigned first, unsigned last) {
  return (~std::uint64_t{0} >> (63U - (last - first))) << first;
}

std::uint64_t offsets_of(const SampleRecord& place) {
  const unsigned first = bit_of(place.before());
  return bits(first, first + place.windows() - 1);
}

std::size_t common_prefix(const char* a, const char* b, std::size_t size) {
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    std::uint64_t x = 0;
    std::uint64_t y = 0;
    std::memcpy(&x, a + i, 8);
    std::memcpy(&y, b + i, 8);
    if (x != y) {
      if constexpr (std::endian::native == std::endian::little)
        return i + static_cast<std::size_t>(std::countr_zero(x ^ y)) / 8;
      else
        return i + static_cast<std::size_t>(std::countl_zero(x ^ y)) / 8;
    }
  }
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

// The length of the common suffix of what ends before `a` and `b`.
std::size_t common_suffix(const char* a, const char* b, std::size_t size) {
  std::size_t i = 0;
  while (i < size && *(a - i - 1) == *(b - i - 1)) ++i;
  return i;
}

}  // namespace

void GroupResolver::add(const store::Run<SampleRecord>& run) {
  if (run.first && run.last && run.records.size() <= kMaxGroup) return add_group(run.records);
  for (const SampleRecord& place : run.records) stream(place);
  if (run.last) end_class();
}

void GroupResolver::add_group(std::span<const SampleRecord> group) {
  if (group.size() < plan_.min_count || group.size() == 1) return;
  classes_.clear();
  for (std::size_t begin = 0; begin < group.size();) {
    std::size_t end = begin + 1;
    while (end < group.size() && group[end].same_context(group[begin])) ++end;
    classes_.push_back(group.subspan(begin, end - begin));
    begin = end;
  }
  if (classes_.size() == 1) {
    for (const SampleRecord& place : group) link_all(place, group.front());
  } else if (plan_.min_count == 2 && classes_.size() <= max_paired_classes()) {
    compare_classes(classes_);
  } else {
    for (const SampleRecord& place : group) stream(place);
    end_class();
  }
}

void GroupResolver::compare_classes(std::span<const std::span<const SampleRecord>> classes) {
  compared_.clear();
  contexts_.resize(std::max(contexts_.size(), classes.size()));
  for (std::size_t c = 0; c < classes.size(); ++c) {
    const SampleRecord& place = classes[c].front();
    const std::size_t left = place.before();
    const std::size_t size = place.windows() - 1 + plan_.length;
    const char* context = text_.read(place.position() - left, size, contexts_[c]);
    compared_.push_back({.places = classes[c],
                         .position = place.position(),
                         .core = context + left,
                         .left = left,
                         .right = size - left,
                         .offsets = offsets_of(place)});
  }
  std::sort(compared_.begin(), compared_.end(), [](const Class& a, const Class& b) { return a.position < b.position; });
  // A window that equals several others is linked to the first of them. Once all windows are linked, further
  // comparisons add nothing: equality is transitive, so each of the others gets a link too.
  for (std::size_t later = 1; later < compared_.size(); ++later)
    for (std::size_t earlier = 0; earlier < later && compared_[later].linked != compared_[later].offsets; ++earlier)
      compare(compared_[later], compared_[earlier]);
  for (const Class& one : compared_) emit(one);
}

void GroupResolver::compare(Class& later, Class& earlier) const {
  const std::size_t right = common_prefix(later.core, earlier.core, std::min(later.right, earlier.right));
  if (right + plan_.span - 1 < plan_.length) return;  // not even the window that begins furthest left is equal
  const std::size_t left = common_suffix(later.core, earlier.core, std::min(later.left, earlier.left));
  if (left + right < plan_.length) return;
  // From the window that begins with the first equal byte to the one that ends with the last, or that begins with
  // the core.
  const std::uint64_t equal =
      bits(bit_of(left), bit_of(right >= plan_.length ? 0 : plan_.length - right)) & later.offsets & earlier.offsets;
  earlier.repeated |= equal;
  later.repeated |= equal;
  if (const std::uint64_t fresh = equal & ~later.linked; fresh != 0) {
    later.pieces.push_back({fresh, earlier.position});
    later.linked |= fresh;
  }
}

void GroupResolver::emit(const Class& one) {
  const std::uint64_t earliest = (one.places.size() > 1 ? one.offsets : one.repeated) & ~one.linked;
  for (const SampleRecord& place : one.places) {
    link(place.position(), earliest, one.position);
    for (const Piece& piece : one.pieces) link(place.position(), piece.offsets, piece.target);
  }
}

void GroupResolver::link(std::uint64_t position, std::uint64_t offsets, std::uint64_t target) {
  while (offsets != 0) {
    const auto first = static_cast<unsigned>(std::countr_zero(offsets));
    const auto count = static_cast<unsigned>(std::countr_one(offsets >> first));
    links_.add(Link(position - (63 - first), count, target - (63 - first)));
    offsets &= ~bits(first, first + count - 1);
  }
}

void GroupResolver::link_all(const SampleRecord& place, const SampleRecord& target) {
  link(place.position(), offsets_of(place), target.position());
}

void GroupResolver::stream(const SampleRecord& place) {
  if (plan_.places || plan_.min_count > kMaxOpen) return add_windows(place, false);
  const bool same = settled_ || !open_.empty() ? place.same_context(head_) : false;
  if (!same) {
    end_class();
    head_ = place;
  }
  if (settled_) return link_all(place, head_);
  open_.push_back(place);
  if (open_.size() < plan_.min_count) return;
  // The earliest place represents all of them; the shuffle of its windows determines whether there are earlier ones.
  settled_ = true;
  add_windows(head_, true);
  for (std::size_t i = 1; i < open_.size(); ++i) link_all(open_[i], head_);
  open_.clear();
}

void GroupResolver::end_class() {
  for (const SampleRecord& place : open_) add_windows(place, false);
  open_.clear();
  settled_ = false;
}

void GroupResolver::add_windows(const SampleRecord& place, bool heavy) {
  contexts_.resize(std::max<std::size_t>(contexts_.size(), 1));
  const std::uint64_t first = place.position() - place.before();
  const char* context = text_.read(first, place.windows() - 1 + plan_.length, contexts_[0]);
  hasher_.reset();
  for (unsigned w = 0; w < place.windows(); ++w)
    windows_.add({hasher_.hash(context + w, plan_.length), (first + w) << 1U | (heavy ? 1U : 0U)});
}

}  // namespace refrain::substring
