#include "verbs/run/columns/slice_file.h"

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

constexpr std::uint64_t kAheadBytes = std::uint64_t{64} << 10;

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

SliceFile::SliceFile(const std::filesystem::path& bytes, const std::filesystem::path& ends)
    : SliceFile(std::make_shared<const StripedFile>(bytes), ends) {}

SliceFile::SliceFile(std::shared_ptr<const StripedFile> bytes, const std::filesystem::path& ends)
    : bytes_(std::move(bytes)), ends_(ends) {}

ByteRange SliceFile::range(std::uint64_t i) {
  if (held_.empty() || i < first_ || i + 1 - first_ >= held_.size()) {
    // Far from the last string, it reads only the two ends it needs.
    const bool near = !held_.empty() && i >= first_ && i - first_ < 2 * kEnds;
    const std::uint64_t count = std::min(near || i == 0 ? kEnds : 1, size() - i);
    held_.resize(count + 1);
    first_ = i;
    held_[0] = 0;
    std::uint64_t* const to = held_.data() + (i == 0 ? 1 : 0);
    const std::uint64_t from = i == 0 ? 0 : i - 1;
    ends_.read(from * sizeof(std::uint64_t), {reinterpret_cast<char*>(to), (i + count - from) * sizeof(std::uint64_t)});
  }
  return {held_[i - first_], held_[i + 1 - first_]};
}

std::string_view SliceFile::get(std::uint64_t i, std::string& scratch) {
  const ByteRange where = range(i);
  if (where.end < where.begin || where.end > bytes_->size())
    throw Error(Errc::corrupt, "work/: a file is damaged; start again with `force`");
  const std::uint64_t size = where.end - where.begin;
  const auto held = [&] { return where.begin >= window_begin_ && where.end <= window_begin_ + window_.size(); };
  // Short strings that are requested in sequence are read ahead.
  if (!held() && where.begin == last_end_ && size < kAheadBytes / 4) {
    window_begin_ = where.begin;
    window_.resize(std::min(kAheadBytes, bytes_->size() - where.begin));
    bytes_->read(where.begin, window_);
  }
  last_end_ = where.end;
  if (held()) {
    scratch.assign(window_, where.begin - window_begin_, size);
  } else {
    scratch.resize(size);
    bytes_->read(where.begin, scratch);
  }
  return scratch;
}

}  // namespace refrain::verbs::run
