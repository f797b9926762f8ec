#include "engines/substring/coverage.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace refrain::substring {

namespace {
constexpr std::uint64_t kCompareBytes = std::uint64_t{64} << 10;
}  // namespace

bool joins(const ByteRange& last, const ByteRange& next, std::span<const std::uint64_t> ends) {
  return next.begin < last.end || (next.begin == last.end && !std::binary_search(ends.begin(), ends.end(), next.begin));
}

void RangeList::add(ByteRange range) {
  if (!ranges_.empty() && joins(ranges_.back(), range, ends_))
    ranges_.back().end = std::max(ranges_.back().end, range.end);
  else
    ranges_.push_back(range);
}

void Coverage::add(const Link& link) {
  if (!open_.is_continued_by(link.first(), link.target)) {
    finish();
    open_ = {link.first(), 0, link.target};
  }
  open_.windows += link.windows();
}

void Coverage::finish() {
  if (open_.windows == 0) return;
  verify(open_);
  windows += open_.windows;
  const ByteRange bytes{open_.first, open_.first + open_.windows - 1 + plan_.length};
  repeated.add(bytes);
  if (open_.first == open_.target)
    first.add(bytes);
  else if (found_)
    found_(open_);
  open_ = {};
}

void Coverage::verify(const Diagonal& diagonal) {
  if (diagonal.first == diagonal.target) return;
  const std::uint64_t size = diagonal.windows - 1 + plan_.length;
  for (std::uint64_t done = 0; done < size; done += kCompareBytes) {
    const auto piece = static_cast<std::size_t>(std::min(kCompareBytes, size - done));
    if (std::memcmp(text_.read(diagonal.first + done, piece, here_), text_.read(diagonal.target + done, piece, there_),
                    piece) != 0)
      throw HashCollision();
  }
  verified_bytes += size;
}

}  // namespace refrain::substring
