// Reads the posts of a segment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/bits.h"
#include "store/page_file.h"

namespace refrain::blot {

// Not thread-safe. Throws Error(corrupt) if the files are damaged.
class PostsReader {
 public:
  // `ids` come from the manifest, one per shard. All places must be below `blocks`.
  PostsReader(const std::filesystem::path& folder, std::span<const store::PageFileId> ids, unsigned blot_bits,
              std::uint64_t blocks);
  // Another reader of the same files, for another thread, as with PageReader.
  explicit PostsReader(const PostsReader& other);

  // Iterates over lists in the order of their blots. Lists are decoded incrementally: whatever the length of a list,
  // only some of its bytes and some of its places are in memory.
  class Cursor {
   public:
    // Covers the lists whose blots are in [begin, end). `shift` is added to every place.
    Cursor(PostsReader& reader, std::uint64_t begin, std::uint64_t end, std::uint64_t shift = 0);
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    bool at_end() const { return at_end_; }
    std::uint64_t blot() const { return blot_; }
    // The number of places in the list.
    std::uint64_t count() const { return count_; }
    // Returns the next places of the list, in ascending order; empty at the end of the list. Valid until the next
    // call.
    std::span<const std::uint64_t> places();
    // Moves to the next list, skipping the places that have not been read.
    void next();

   private:
    static constexpr std::size_t kPlacesAtOnce = 128;

    bool open_bucket();
    void pass_lists(std::uint64_t begin);
    void skip_places();
    void fill();
    void move_to(std::uint64_t bit);
    std::uint64_t bit() const { return window_begin_ * 8 + bits_.position(); }
    [[noreturn]] void corrupt();

    PostsReader& reader_;
    const std::uint64_t end_;
    const std::uint64_t shift_;
    std::uint64_t bucket_;          // the next bucket
    std::uint64_t bucket_end_ = 0;  // where the current bucket ends, in the stream of its shard
    std::uint64_t next_blot_ = 0;
    std::uint64_t lists_ = 0;  // number of lists of the current bucket that are still to come
    // The bytes being decoded: the current bucket, or a part of a large one, starting at window_begin_.
    std::string scratch_;
    std::uint64_t window_begin_ = 0;
    std::uint64_t window_end_ = 0;
    store::BitReader bits_{{}};
    std::uint64_t blot_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t left_ = 0;      // places that have not been decoded yet
    std::uint64_t list_end_ = 0;  // of a long list: its end, in bits of the stream
    std::uint64_t place_ = 0;     // the last place that was decoded
    std::array<std::uint64_t, kPlacesAtOnce> places_;
    bool at_end_ = false;
  };

  std::uint64_t blots() const { return blots_; }
  std::uint64_t posts() const { return posts_; }
  std::uint64_t bytes() const;
  // As in PageReader, for every file.
  void hold_pages(double share);

  // Checks every page and every list: the order, the places, the totals. `done` is called as by
  // PageReader::check_all.
  void check(const std::function<void(std::uint64_t)>& done);

 private:
  struct Shard {
    std::unique_ptr<store::PageReader> file;
    std::uint64_t table = 0;
    std::uint64_t blots = 0;
    std::uint64_t posts = 0;
  };
  // The shard that contains a bucket.
  Shard& shard_of(std::uint64_t bucket) { return shards_[static_cast<std::size_t>(bucket / per_shard_)]; }
  // The begin and the end of a bucket in the stream of its shard.
  std::pair<std::uint64_t, std::uint64_t> bucket_range(std::uint64_t bucket);

  unsigned blot_bits_;
  unsigned bucket_bits_ = 0;
  unsigned gap_bits_ = 0;
  unsigned place_bits_ = 0;
  std::uint64_t per_shard_ = 0;
  std::uint64_t buckets_ = 0;
  std::uint64_t blocks_;
  std::uint64_t blots_ = 0;
  std::uint64_t posts_ = 0;
  std::vector<Shard> shards_;
  // The rows of a shard's table that were read last: blots are mostly looked up in order.
  static constexpr std::uint64_t kTableRows = 512;
  std::string table_;
  std::size_t table_shard_ = 0;
  std::uint64_t table_row_ = 0;
};

// Merges the posts of several segments: one blot after another, with the lists of all segments that contain it.
//
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
