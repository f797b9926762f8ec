#include "verbs/run/columns/slice_file.h"

#include <algorithm>
#include <utility>

#include "refrain/error.h"

namespace refrain::verbs::run {

namespace {

constexpr std::uint64_t kAheadBytes = std::uint64_t{64} << 10;

}  // namespace

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
