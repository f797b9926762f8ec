#include "blot/posts_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "blot/blot_format.h"
#include "blot/posts_writer.h"
#include "store/bits.h"
#include "store/varint.h"

namespace refrain {

namespace {

constexpr std::size_t kTailNumbers = 9;

}  // namespace

PostsReader::PostsReader(const std::filesystem::path& folder, std::span<const PageFileId> ids, unsigned blot_bits,
                         std::uint64_t blocks)
    : blot_bits_(blot_bits), blocks_(blocks) {
  for (unsigned i = 0; i < ids.size(); ++i) {
    Shard shard;
    shard.file = std::make_unique<PageReader>((folder / posts_name(i)).string(), kBlotPostsMagic, kBlotFormatVersion);
    PageReader& file = *shard.file;
    if (file.id() != ids[i]) file.corrupt("it is not the file that the manifest names");
    std::array<std::uint64_t, kTailNumbers> tail{};
    std::memcpy(tail.data(), file.tail().data(), sizeof tail);
    const auto [bits, bucket_bits, gap_bits, place_bits, first, buckets, blots, posts, table] = tail;
    const bool same = i == 0 || (bucket_bits == bucket_bits_ && gap_bits == gap_bits_ && place_bits == place_bits_ &&
                                 buckets == per_shard_);
    if (bits != blot_bits_ || bucket_bits > bits || gap_bits > 56 || place_bits > 56 || !same || buckets == 0 ||
        buckets != (std::uint64_t{1} << bucket_bits) / ids.size() || first != i * buckets || table > file.size() ||
        (file.size() - table) / kBucketPlaceBytes < buckets + 1)
      file.corrupt("its end does not fit the index");
    bucket_bits_ = static_cast<unsigned>(bucket_bits);
    gap_bits_ = static_cast<unsigned>(gap_bits);
    place_bits_ = static_cast<unsigned>(place_bits);
    per_shard_ = buckets;
    buckets_ += buckets;
    blots_ += blots;
    posts_ += posts;
    shard.table = table;
    shard.blots = blots;
    shard.posts = posts;
    shards_.push_back(std::move(shard));
  }
}

PostsReader::PostsReader(const PostsReader& other)
    : blot_bits_(other.blot_bits_),
      bucket_bits_(other.bucket_bits_),
      gap_bits_(other.gap_bits_),
      place_bits_(other.place_bits_),
      per_shard_(other.per_shard_),
      buckets_(other.buckets_),
      blocks_(other.blocks_),
      blots_(other.blots_),
      posts_(other.posts_) {
  for (const Shard& shard : other.shards_)
    shards_.push_back({std::make_unique<PageReader>(*shard.file), shard.table, shard.blots, shard.posts});
}

std::uint64_t PostsReader::bytes() const {
  std::uint64_t bytes = 0;
  for (const Shard& shard : shards_) bytes += shard.file->id().bytes;
  return bytes;
}

std::string_view PostsReader::bucket_bytes(std::uint64_t bucket) {
  Shard& shard = shard_of(bucket);
  const std::uint64_t row = bucket % per_shard_;
  const std::string_view places =
      shard.file->read(shard.table + row * kBucketPlaceBytes, 2 * kBucketPlaceBytes, table_scratch_);
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::memcpy(&begin, places.data(), kBucketPlaceBytes);
  std::memcpy(&end, places.data() + kBucketPlaceBytes, kBucketPlaceBytes);
  if (begin > end || end > shard.table) shard.file->corrupt("its table of blots is out of order");
  return shard.file->read(begin, end - begin, scratch_);
}

template <class OnList>
void PostsReader::for_each_list(std::uint64_t bucket, OnList on_list) {
  const std::string_view bytes = bucket_bytes(bucket);
  if (bytes.empty()) return;
  const auto corrupt = [&] { shard_of(bucket).file->corrupt("a list of places makes no sense"); };
  const char* at = bytes.data();
  std::uint64_t lists = 0;
  if (!get_varint(at, bytes.data() + bytes.size(), lists)) corrupt();
  BitReader bits(bytes.substr(static_cast<std::size_t>(at - bytes.data())));
  const std::uint64_t width = std::uint64_t{1} << (blot_bits_ - bucket_bits_);
  const std::uint64_t first_blot = bucket << (blot_bits_ - bucket_bits_);
  std::uint64_t next = 0;  // in the bucket
  for (std::uint64_t i = 0; i < lists; ++i) {
    const std::uint64_t low = next + bits.rice(gap_bits_);
    const std::uint64_t count = bits.gamma();
    const std::uint64_t long_bits = count >= kLongList ? bits.gamma() : 0;
    if (!bits.ok() || low >= width || low < next || count > blocks_ || count / 8 > bytes.size()) corrupt();
    next = low + 1;
    bool taken = false;
    const auto take = [&](std::vector<std::uint64_t>& places, std::uint64_t shift) {
      taken = true;
      const std::size_t before = places.size();
      places.resize(before + count);
      std::uint64_t place = bits.wide(place_bits_);
      places[before] = place + shift;
      for (std::size_t j = 1; j < count; ++j) {
        const std::uint64_t gap = bits.delta();
        // Neither past the end nor round it.
        if (gap >= blocks_ - std::min(place, blocks_)) {
          place = blocks_;
          break;
        }
        place += gap;
        places[before + j] = place + shift;
      }
      if (!bits.ok() || place >= blocks_) corrupt();
    };
    if (!on_list(first_blot + low, count, take)) return;
    if (!taken && long_bits > 0) {
      bits.skip(long_bits);
    } else if (!taken) {
      bits.wide(place_bits_);
      for (std::size_t j = 1; j < count; ++j) bits.delta();
    }
  }
  if (!bits.ok()) corrupt();
}

void PostsReader::find(std::uint64_t blot, std::uint64_t shift, std::vector<std::uint64_t>& places) {
  for_each_list(blot >> (blot_bits_ - bucket_bits_), [&](std::uint64_t found, std::uint64_t /*count*/, auto& take) {
    if (found == blot) take(places, shift);
    return found < blot;
  });
}

PostsReader::Cursor::Cursor(PostsReader& reader, std::uint64_t begin)
    : reader_(&reader), bucket_(begin >> (reader.blot_bits_ - reader.bucket_bits_)) {
  load();
  while (!at_end_ && blot() < begin) next();
}

// The lists of bucket_, or of the first one behind it that has any.
void PostsReader::Cursor::load() {
  lists_.clear();
  places_.clear();
  list_ = 0;
  for (; bucket_ < reader_->buckets_ && lists_.empty(); ++bucket_)
    reader_->for_each_list(bucket_, [&](std::uint64_t blot, std::uint64_t count, auto& take) {
      lists_.push_back({blot, places_.size(), static_cast<std::size_t>(count)});
      take(places_, 0);
      return true;
    });
  at_end_ = lists_.empty();
}

void PostsReader::Cursor::next() {
  if (++list_ == lists_.size()) load();
}

void PostsReader::check(const std::function<void(std::uint64_t)>& done) {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    Shard& shard = shards_[i];
    shard.file->check_all(done);
    std::uint64_t blots = 0;
    std::uint64_t posts = 0;
    std::vector<std::uint64_t> places;
    for (std::uint64_t bucket = i * per_shard_; bucket < (i + 1) * per_shard_; ++bucket)
      for_each_list(bucket, [&](std::uint64_t /*blot*/, std::uint64_t count, auto& take) {
        places.clear();
        take(places, 0);
        ++blots;
        posts += count;
        return true;
      });
    if (blots != shard.blots || posts != shard.posts) shard.file->corrupt("its lists are not as many as its end tells");
  }
}

}  // namespace refrain
