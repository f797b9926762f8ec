// Writes the posts of a segment: for every blot, in order, the places where it occurs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "store/bits.h"
#include "store/page_file.h"

namespace refrain {

// How the posts of a segment are laid out. All follows from how many there are.
struct PostsPlan {
  PostsPlan(unsigned blot_bits, unsigned shards, std::uint64_t posts, std::uint64_t blocks);

  unsigned blot_bits;
  unsigned shards;
  unsigned bucket_bits;  // at least as many as tell the shards apart
  unsigned gap_bits;
  unsigned place_bits;

  std::uint64_t bucket_of(std::uint64_t blot) const { return blot >> (blot_bits - bucket_bits); }
  std::uint64_t buckets_per_shard() const { return (std::uint64_t{1} << bucket_bits) / shards; }
};

std::string posts_name(unsigned shard);

// The bytes of consecutive buckets. Lists come in the order of their blots, each blot once.
class BucketEncoder {
 public:
  explicit BucketEncoder(const PostsPlan& plan) : plan_(plan) {}

  // `places` rise.
  void add(std::uint64_t blot, std::span<const std::uint64_t> places);

  // What was added since the last take().
  struct Bucket {
    std::uint64_t number;
    std::size_t bytes;
    std::uint64_t blots;
    std::uint64_t posts;
  };
  struct Buckets {
    std::string bytes;
    std::vector<Bucket> buckets;  // rising; those without a list are left out
  };
  Buckets take();

 private:
  void end_bucket();

  const PostsPlan& plan_;
  Buckets done_;
  Bucket open_{};           // bytes: where it begins
  std::uint64_t next_ = 0;  // the least blot that may follow in it
  std::string lists_;       // of the open bucket
  std::optional<BitWriter> bits_;
  std::string long_list_;
};

struct PostsTotals {
  std::vector<PageFileId> files;  // a shard each
  std::uint64_t blots = 0;
  std::uint64_t posts = 0;
};

class PostsWriter {
 public:
  PostsWriter(const std::filesystem::path& folder, const PostsPlan& plan, MemoryBudget& budget);

  // Buckets behind all that were added before.
  void add(const BucketEncoder::Buckets& buckets);
  PostsTotals finish();

 private:
  void open_shard();
  void close_shard();
  void advance(std::uint64_t bucket);

  const std::filesystem::path folder_;
  const PostsPlan plan_;
  unsigned shard_ = 0;
  std::uint64_t next_bucket_ = 0;  // whose place is not known yet
  std::unique_ptr<PageWriter> out_;
  Array<char> places_;  // of the shard's buckets
  std::uint64_t shard_blots_ = 0;
  std::uint64_t shard_posts_ = 0;
  PostsTotals totals_;
};

}  // namespace refrain
