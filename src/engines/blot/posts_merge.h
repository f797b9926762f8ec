// The posts of several segments side by side: blot after blot, with the lists of all segments that hold it.
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
    std::uint64_t shift;  // is added to its places
  };
  // Blots that are not below `begin`, and below `end`.
  PostsMerge(std::span<const Source> sources, std::uint64_t begin, std::uint64_t end);

  // To the next blot, at first to the first one; false where there is none.
  bool next();
  std::uint64_t blot() const { return blot_; }

  // A list of the blot, whose source it says. Those that are not read to their end are passed over.
  struct List {
    std::size_t source;
    PostsReader::Cursor* places;
  };
  // In the order of the sources.
  std::span<const List> lists() const { return lists_; }

 private:
  std::vector<std::optional<PostsReader::Cursor>> cursors_;  // all are there; they cannot be moved
  std::vector<List> lists_;
  std::uint64_t blot_ = 0;
};

}  // namespace refrain::blot
