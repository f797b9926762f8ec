#include "engines/blot/posts_merge.h"

#include <algorithm>
#include <limits>

namespace refrain::blot {

PostsMerge::PostsMerge(std::span<const Source> sources, std::uint64_t begin, std::uint64_t end)
    : cursors_(sources.size()) {
  for (std::size_t i = 0; i < sources.size(); ++i) cursors_[i].emplace(*sources[i].posts, begin, end, sources[i].shift);
  lists_.reserve(sources.size());
}

bool PostsMerge::next() {
  for (const List& list : lists_) list.places->next();
  lists_.clear();
  blot_ = std::numeric_limits<std::uint64_t>::max();
  for (const auto& cursor : cursors_)
    if (!cursor->at_end()) blot_ = std::min(blot_, cursor->blot());
  for (std::size_t i = 0; i < cursors_.size(); ++i)
    if (!cursors_[i]->at_end() && cursors_[i]->blot() == blot_) lists_.push_back({i, &*cursors_[i]});
  return !lists_.empty();
}

}  // namespace refrain::blot
