// Merges the posts of several segments: one blot after another, with the lists of all segments that contain it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engines/blot/posts_reader.h"

namespace refrain::blot {

// Not thread-safe.
class PostsMerge {
 public:
  struct Source {
    PostsReader* posts;
    std::uint64_t shift;  // added to its places
  };
  // Covers the blots in [begin, end).
  PostsMerge(std::span<const Source> sources, std::uint64_t begin, std::uint64_t end);

  // Moves to the next blot, at first to the first one. Returns false if there is none.
  bool next();
  std::uint64_t blot() const { return blot_; }

  // A list of the blot, with the index of its source. A list that is not read to its end is skipped.
  struct List {
    std::size_t source;
    PostsReader::Cursor* places;
  };
  // Ordered by source.
  std::span<const List> lists() const { return lists_; }

 private:
  std::vector<std::optional<PostsReader::Cursor>> cursors_;  // always set; optional because cursors cannot be moved
  std::vector<List> lists_;
  std::uint64_t blot_ = 0;
};

}  // namespace refrain::blot
