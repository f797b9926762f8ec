#include "verbs/run/columns/striped_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace refrain::verbs::run {

namespace {

constexpr std::size_t kStripes = 8;
constexpr std::uint64_t kUnitBytes = std::uint64_t{256} << 10;

std::string stripe_name(const std::string& name, std::size_t stripe) {
  return fmt::format("{}.{}", name, stripe);
}

// Calls fn(stripe, place there, size) for the parts of `size` bytes from `place` on, one after the other.
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

StripedWriter::StripedWriter(RunDir& dir, const std::string& name) {
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

void StripedWriter::close(RunDir& dir) {
  for (RunFile& file : files_) dir.close(file);
}

StripedFile::StripedFile(const RunDir& dir, const std::string& name) {
  for (std::size_t stripe = 0; stripe < kStripes; ++stripe) {
    files_.push_back(std::make_unique<const RandomFile>(dir.work(stripe_name(name, stripe))));
    size_ += files_.back()->size();
  }
}

StripedFile::StripedFile(const std::filesystem::path& path) {
  files_.push_back(std::make_unique<const RandomFile>(path));
  size_ = files_.back()->size();
}

void StripedFile::read(std::uint64_t place, std::span<char> to) const {
  if (files_.size() == 1) return files_.front()->read(place, to);
  for_each_part(place, to.size(), [&](std::size_t stripe, std::uint64_t there, std::size_t size) {
    files_[stripe]->read(there, to.first(size));
    to = to.subspan(size);
  });
}

}  // namespace refrain::verbs::run
