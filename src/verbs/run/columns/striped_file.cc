#include "verbs/run/columns/striped_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "refrain/error.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::run {

namespace {

constexpr std::size_t kStripes = 8;
constexpr std::uint64_t kUnitBytes = std::uint64_t{256} << 10;
constexpr const char* kOrder = ".order";
constexpr const char* kStretches = "the order of the texts";

std::string stripe_name(const std::string& name, std::size_t stripe) {
  return fmt::format("{}.{}", name, stripe);
}

// Calls fn(stripe, place in the stripe, size) for the parts of the `size` bytes from `place` on, one after the
// other.
template <class Fn>
void for_each_part(std::uint64_t place, std::uint64_t size, Fn fn) {
  while (size != 0) {
    const std::uint64_t unit = place / kUnitBytes;
    const std::uint64_t part = std::min(size, kUnitBytes - place % kUnitBytes);
    fn(static_cast<std::size_t>(unit % kStripes), unit / kStripes * kUnitBytes + place % kUnitBytes,
       static_cast<std::size_t>(part));
    place += part;
    size -= part;
  }
}

}  // namespace

StripedWriter::StripedWriter(RunDir& dir, const std::string& name, MemoryBudget& budget)
    : order_(dir.create_work(name + kOrder)), stretches_(budget, kStretches) {
  files_.reserve(kStripes);
  for (std::size_t stripe = 0; stripe < kStripes; ++stripe)
    files_.push_back(dir.create_work(stripe_name(name, stripe)));
}

void StripedWriter::write_at(std::uint64_t place, std::string_view bytes) {
  for_each_part(place, bytes.size(), [&](std::size_t stripe, std::uint64_t there, std::size_t size) {
    files_[stripe].write_at(there, bytes.substr(0, size));
    bytes.remove_prefix(size);
  });
}

std::uint64_t StripedWriter::put_in_order(std::uint64_t place, std::uint64_t bytes) {
  if (bytes == 0) return size_;  // an empty text has no place of its own: the next one was allotted the same
  if (stretches_.empty() || place != next_place_) stretches_.push_back({size_, place});
  next_place_ = place + bytes;
  return std::exchange(size_, size_ + bytes);
}

void StripedWriter::close(RunDir& dir) {
  order_.write_values(std::span<const StripedStretch>(stretches_.data(), stretches_.size()));
  dir.close(order_);
  for (RunFile& file : files_) dir.close(file);
}

StripedFile::StripedFile(const RunDir& dir, const std::string& name, MemoryBudget& budget)
    : stretches_(load_column<StripedStretch>(dir.work(name + kOrder), budget, kStretches)) {
  for (std::size_t stripe = 0; stripe < kStripes; ++stripe) {
    files_.push_back(std::make_unique<const RandomFile>(dir.work(stripe_name(name, stripe))));
    size_ += files_.back()->size();
  }
  if (size_ != 0 && (stretches_->empty() || stretches_->begin()->begin != 0))
    throw Error(Errc::corrupt, fmt::format("{}{}: damaged; start again with `force`", name, kOrder));
}

StripedFile::StripedFile(const std::filesystem::path& path) {
  files_.push_back(std::make_unique<const RandomFile>(path));
  size_ = files_.back()->size();
}

void StripedFile::read(std::uint64_t place, std::span<char> to) const {
  if (!stretches_) return files_.front()->read(place, to);
  if (place > size_ || to.size() > size_ - place)
    throw Error(Errc::corrupt, fmt::format("{}: truncated; start again with `force`", files_.front()->path()));
  const auto begins_behind = [](std::uint64_t at, const StripedStretch& stretch) { return at < stretch.begin; };
  const StripedStretch* next = std::upper_bound(stretches_->begin(), stretches_->end(), place, begins_behind);
  for (; !to.empty(); ++next) {
    const StripedStretch& stretch = next[-1];
    const std::uint64_t end = next == stretches_->end() ? size_ : next->begin;
    const auto part = static_cast<std::size_t>(std::min<std::uint64_t>(to.size(), end - place));
    read_stretch(stretch.place + (place - stretch.begin), to.first(part));
    to = to.subspan(part);
    place += part;
  }
}

void StripedFile::read_stretch(std::uint64_t place, std::span<char> to) const {
  for_each_part(place, to.size(), [&](std::size_t stripe, std::uint64_t there, std::size_t size) {
    files_[stripe]->read(there, to.first(size));
    to = to.subspan(size);
  });
}

}  // namespace refrain::verbs::run
