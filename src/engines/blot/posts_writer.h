// Writes the posts of a segment: for every blot, in order, the places where it occurs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "engines/blot/format.h"
#include "store/bits.h"
#include "store/page_file.h"

namespace refrain::blot {

// Returns `place`, a position in a posts file. Throws Error(unsupported) if it does not fit into the 5 bytes of the
// table.
std::uint64_t checked_bucket_place(std::uint64_t place);

// The layout of the posts of a segment, derived from their number and the numbers of shards and blocks.
struct PostsPlan {
  PostsPlan(unsigned blot_bits, unsigned shards, std::uint64_t posts, std::uint64_t blocks);

  unsigned blot_bits;
  unsigned shards;
  unsigned bucket_bits;  // at least enough to distinguish the shards
  unsigned gap_bits;
  unsigned place_bits;

  std::uint64_t bucket_of(std::uint64_t blot) const { return blot >> (blot_bits - bucket_bits); }
  std::uint64_t buckets_per_shard() const { return (std::uint64_t{1} << bucket_bits) / shards; }
};

std::string posts_name(unsigned shard);

// Encodes consecutive buckets. Lists must be added in the order of their blots, each blot once. A list may be added
// in parts, and takes no more memory than its encoded bytes.
class BucketEncoder {
 public:
  BucketEncoder(const PostsPlan& plan, MemoryBudget& budget);
  BucketEncoder(const BucketEncoder&) = delete;
  BucketEncoder& operator=(const BucketEncoder&) = delete;

  // Adds a whole list. `places` must ascend.
  void add(std::uint64_t blot, std::span<const std::uint64_t> places) {
    begin(blot);
    append(places);
    end();
  }
  // begin(), append() and end() add a list in parts. A list without places is dropped.
  void begin(std::uint64_t blot) {
    blot_ = blot;
    count_ = 0;
  }
  void append(std::span<const std::uint64_t> places) {
    for (const std::uint64_t place : places) append(place);
  }
  void append(std::uint64_t place) {
    if (count_ >= kLongList)
      append_to_long(place);
    else
      first_[count_] = place;
    ++count_;
    last_ = place;
  }
  // Whether the list has places and `place` is the last one.
  bool ends_with(std::uint64_t place) const { return count_ > 0 && last_ == place; }
  void end();

  // The buckets that were added since construction, or since the last clear().
  struct Bucket {
    std::uint64_t number;
    std::size_t bytes;
    std::uint64_t blots;
    std::uint64_t posts;
  };
  struct Buckets {
    explicit Buckets(MemoryBudget& budget) : bytes(budget, kWhat) {}
    Array<char> bytes;
    std::vector<Bucket> buckets;  // ascending; those without lists are left out
  };
  // Completes the last bucket. Valid until the next call.
  const Buckets& buckets();
  void clear();

 private:
  static constexpr const char* kWhat = "the posts of some blots";
  using Bits = store::BitWriter<Array<char>>;

  void start_long();
  void append_to_long(std::uint64_t place);
  void put_first(Bits& bits) const;
  bool put_single(std::uint64_t gap);
  void end_bucket();

  const PostsPlan& plan_;
  Buckets done_;
  Bucket open_{};           // its `bytes` is where it begins
  std::uint64_t next_ = 0;  // the least blot that may follow in it
  Array<char> lists_;       // those of the open bucket
  std::optional<Bits> bits_;
  // The current list. Its head contains its length, so a long list is kept in a buffer of its own until it ends.
  std::uint64_t blot_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t last_ = 0;
  std::array<std::uint64_t, kLongList> first_{};
  Array<char> long_list_;
  std::optional<Bits> long_bits_;
};

struct PostsTotals {
  std::vector<store::PageFileId> files;  // one per shard
  std::uint64_t blots = 0;
  std::uint64_t posts = 0;
};

class PostsWriter {
 public:
  PostsWriter(const std::filesystem::path& folder, const PostsPlan& plan, MemoryBudget& budget);

  // Adds buckets. They must follow all buckets that were added before.
  void add(const BucketEncoder::Buckets& buckets);
  PostsTotals finish();

 private:
  void open_shard();
  void close_shard();
  void advance(std::uint64_t bucket);

  const std::filesystem::path folder_;
  const PostsPlan plan_;
  unsigned shard_ = 0;
  std::uint64_t next_bucket_ = 0;  // the next one whose position is not yet known
  std::unique_ptr<store::PageWriter> out_;
  Array<char> places_;  // positions of the shard's buckets
  std::uint64_t shard_blots_ = 0;
  std::uint64_t shard_posts_ = 0;
  PostsTotals totals_;
};

}  // namespace refrain::blot
