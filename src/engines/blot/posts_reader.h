// Reads the posts of a segment.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/bits.h"
#include "store/page_file.h"

namespace refrain::blot {

// Not thread-safe. What is wrong with the files is Error(corrupt).
class PostsReader {
 public:
  // `ids` are those that the manifest names, a shard each; places are below `blocks`.
  PostsReader(const std::filesystem::path& folder, std::span<const store::PageFileId> ids, unsigned blot_bits,
              std::uint64_t blocks);
  // As PageReader's: the same files, for another thread.
  explicit PostsReader(const PostsReader& other);

  // Lists in the order of blots. A list is decoded as it is asked for: whatever its length, nothing is held but some
  // of its bytes and some of its places.
  class Cursor {
   public:
    // The lists whose blots are not below `begin`, and below `end`. `shift` is added to every place.
    Cursor(PostsReader& reader, std::uint64_t begin, std::uint64_t end, std::uint64_t shift = 0);
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    bool at_end() const { return at_end_; }
    std::uint64_t blot() const { return blot_; }
    // All places of the list.
    std::uint64_t count() const { return count_; }
    // The next of them, rising; none once all were told. Valid until the next call.
    std::span<const std::uint64_t> places();
    // To the next list, past the places that nobody asked for.
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
    std::uint64_t bucket_;          // the next one
    std::uint64_t bucket_end_ = 0;  // where the bytes of the one before it end, in the stream of its shard
    std::uint64_t next_blot_ = 0;
    std::uint64_t lists_ = 0;  // of the bucket, still to come
    // What is decoded: the bytes of the bucket, or of a large one some, from window_begin_ on.
    std::string scratch_;
    std::uint64_t window_begin_ = 0;
    std::uint64_t window_end_ = 0;
    store::BitReader bits_{{}};
    std::uint64_t blot_ = 0;
    std::uint64_t count_ = 0;
    std::uint64_t left_ = 0;      // places that were not decoded yet
    std::uint64_t list_end_ = 0;  // of a long list: its end, in bits of the stream
    std::uint64_t place_ = 0;     // the last one that was
    std::array<std::uint64_t, kPlacesAtOnce> places_;
    bool at_end_ = false;
  };

  std::uint64_t blots() const { return blots_; }
  std::uint64_t posts() const { return posts_; }
  std::uint64_t bytes() const;
  // As PageReader's, of every file.
  void hold_pages(double share);

  // Every page, every list: their order, their places, their number. `done` as PageReader::check_all.
  void check(const std::function<void(std::uint64_t)>& done);

 private:
  struct Shard {
    std::unique_ptr<store::PageReader> file;
    std::uint64_t table = 0;
    std::uint64_t blots = 0;
    std::uint64_t posts = 0;
  };
  // One of its shards.
  Shard& shard_of(std::uint64_t bucket) { return shards_[static_cast<std::size_t>(bucket / per_shard_)]; }
  // Where its bytes are in the stream of its shard: the first one, and the one behind the last.
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
  // Rows of the table of a shard that were read last: blots are mostly looked up in their order.
  static constexpr std::uint64_t kTableRows = 512;
  std::string table_;
  std::size_t table_shard_ = 0;
  std::uint64_t table_row_ = 0;
};

}  // namespace refrain::blot
