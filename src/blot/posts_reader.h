// Reads the posts of a segment.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "store/page_file.h"

namespace refrain {

// Not thread-safe. What is wrong with the files is Error(corrupt).
class PostsReader {
 public:
  // `ids` are those that the manifest names, a shard each; places are below `blocks`.
  PostsReader(const std::filesystem::path& folder, std::span<const PageFileId> ids, unsigned blot_bits,
              std::uint64_t blocks);
  // As PageReader's: the same files, for another thread.
  explicit PostsReader(const PostsReader& other);

  // Appends the places of `blot`, `shift` added to each.
  void find(std::uint64_t blot, std::uint64_t shift, std::vector<std::uint64_t>& places);

  // Lists in the order of blots. Keeps a bucket at a time.
  class Cursor {
   public:
    // The first list whose blot is not below `begin`.
    Cursor(PostsReader& reader, std::uint64_t begin);
    bool at_end() const { return at_end_; }
    std::uint64_t blot() const { return lists_[list_].blot; }
    std::span<const std::uint64_t> places() const {
      return std::span(places_).subspan(lists_[list_].begin, lists_[list_].count);
    }
    void next();

   private:
    struct List {
      std::uint64_t blot;
      std::size_t begin;
      std::size_t count;
    };
    friend class PostsReader;
    void load();

    PostsReader* reader_;
    std::uint64_t bucket_;
    std::vector<List> lists_;
    std::vector<std::uint64_t> places_;
    std::size_t list_ = 0;
    bool at_end_ = false;
  };

  std::uint64_t blots() const { return blots_; }
  std::uint64_t posts() const { return posts_; }
  std::uint64_t bytes() const;

  // Every page, every list: their order, their places, their number. `done` as PageReader::check_all.
  void check(const std::function<void(std::uint64_t)>& done);

 private:
  struct Shard {
    std::unique_ptr<PageReader> file;
    std::uint64_t table = 0;
    std::uint64_t blots = 0;
    std::uint64_t posts = 0;
  };
  // One of its shards.
  Shard& shard_of(std::uint64_t bucket) { return shards_[static_cast<std::size_t>(bucket / per_shard_)]; }
  std::string_view bucket_bytes(std::uint64_t bucket);
  // Calls list(blot, count, take) for each list of a bucket, where take(places, shift) appends its places; false ends it.
  template <class OnList>
  void for_each_list(std::uint64_t bucket, OnList on_list);

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
  std::string table_scratch_;
  std::string scratch_;
};

}  // namespace refrain
