#include "engines/blot/posts_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "engines/blot/format.h"
#include "engines/blot/posts_writer.h"
#include "store/varint.h"

namespace refrain::blot {

namespace {

constexpr std::size_t kPostsTail = 9;

// The number of bytes of a bucket that a cursor holds: nearly always all of it.
constexpr std::uint64_t kWindowBytes = std::uint64_t{16} << 10U;
// An upper bound for the bits of a list's head and all of a short list, and for the bits of the places that are
// decoded at once, as a gap takes at most 76 bits.
constexpr std::uint64_t kLeastBits = std::uint64_t{16} << 10U;

}  // namespace

PostsReader::PostsReader(const std::filesystem::path& folder, std::span<const store::PageFileId> ids,
                         unsigned blot_bits, std::uint64_t blocks)
    : blot_bits_(blot_bits), blocks_(blocks) {
  for (unsigned i = 0; i < ids.size(); ++i) {
    Shard shard;
    shard.file =
        std::make_unique<store::PageReader>((folder / posts_name(i)).string(), kBlotPostsMagic, kBlotFormatVersion);
    store::PageReader& file = *shard.file;
    if (file.id() != ids[i]) file.corrupt("not the file named in the manifest");
    std::array<std::uint64_t, kPostsTail> tail{};
    std::memcpy(tail.data(), file.tail().data(), sizeof tail);
    const auto [bits, bucket_bits, gap_bits, place_bits, first, buckets, blots, posts, table] = tail;
    const bool same = i == 0 || (bucket_bits == bucket_bits_ && gap_bits == gap_bits_ && place_bits == place_bits_ &&
                                 buckets == per_shard_);
    if (bits != blot_bits_ || bucket_bits > bits || gap_bits > 56 || place_bits > 56 || !same || buckets == 0 ||
        buckets != (std::uint64_t{1} << bucket_bits) / ids.size() || first != i * buckets || table > file.size() ||
        (file.size() - table) / kBucketPlaceBytes < buckets + 1)
      file.corrupt("footer does not match the index");
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
    shards_.push_back({std::make_unique<store::PageReader>(*shard.file), shard.table, shard.blots, shard.posts});
}

std::uint64_t PostsReader::bytes() const {
  std::uint64_t bytes = 0;
  for (const Shard& shard : shards_) bytes += shard.file->id().bytes;
  return bytes;
}

void PostsReader::hold_pages(double share) {
  for (const Shard& shard : shards_) shard.file->hold_pages(share);
}

std::pair<std::uint64_t, std::uint64_t> PostsReader::bucket_range(std::uint64_t bucket) {
  Shard& shard = shard_of(bucket);
  const auto number = static_cast<std::size_t>(bucket / per_shard_);
  const std::uint64_t row = bucket % per_shard_;
  if (table_.empty() || table_shard_ != number || table_row_ != row / kTableRows * kTableRows) {
    table_row_ = row / kTableRows * kTableRows;
    table_shard_ = number;
    const std::uint64_t rows = std::min(kTableRows, per_shard_ - table_row_) + 1;
    std::string read;
    read.swap(table_);  // stays empty if reading fails
    shard.file->read(shard.table + table_row_ * kBucketPlaceBytes, rows * kBucketPlaceBytes, read);
    table_.swap(read);
  }
  const char* const places = table_.data() + (row - table_row_) * kBucketPlaceBytes;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::memcpy(&begin, places, kBucketPlaceBytes);
  std::memcpy(&end, places + kBucketPlaceBytes, kBucketPlaceBytes);
  if (begin > end || end > shard.table) shard.file->corrupt("blot table out of order");
  return {begin, end};
}

PostsReader::Cursor::Cursor(PostsReader& reader, std::uint64_t begin, std::uint64_t end, std::uint64_t shift)
    : reader_(reader), end_(end), shift_(shift), bucket_(begin >> (reader.blot_bits_ - reader.bucket_bits_)) {
  if (open_bucket()) pass_lists(begin);
  next();
  while (!at_end_ && blot_ < begin) next();
}

// Skips short lists whose blots are below `begin`, in a bucket that is in memory as a whole. This is most of the
// work of looking up a blot. Nearly all lists have one place and are decoded in one step.
void PostsReader::Cursor::pass_lists(std::uint64_t begin) {
  if (window_end_ < bucket_end_) return;
  const unsigned gap_bits = reader_.gap_bits_;
  const unsigned place_bits = reader_.place_bits_;
  const std::uint64_t gap_mask = (std::uint64_t{1} << gap_bits) - 1;
  store::BitReader bits = bits_;
  while (lists_ > 0 && bits.ok()) {
    const store::BitReader before = bits;
    const std::uint64_t word = bits.peek();
    const auto zeros = static_cast<unsigned>(std::countr_zero(word));
    const unsigned head = zeros + 1 + gap_bits;
    std::uint64_t blot = next_blot_;
    std::uint64_t count = 1;
    if (head < store::BitReader::kPeekBits && (word >> head & 1) != 0) {
      blot += std::uint64_t{zeros} << gap_bits | (word >> (zeros + 1) & gap_mask);
      bits.skip(head + 1);
    } else {
      blot += bits.rice(gap_bits);
      count = bits.gamma();
    }
    if (count >= kLongList || blot >= begin) {
      bits = before;
      break;
    }
    bits.skip(place_bits);
    for (std::uint64_t i = 1; i < count; ++i) bits.delta();
    next_blot_ = blot + 1;
    --lists_;
  }
  if (!bits.ok()) corrupt();
  bits_ = bits;
}

void PostsReader::Cursor::corrupt() {
  reader_.shard_of(bucket_ - 1).file->corrupt("invalid list of places");
}

// Moves the window so that it begins at the byte that contains this bit of the stream.
void PostsReader::Cursor::move_to(std::uint64_t bit) {
  window_begin_ = bit / 8;
  if (window_begin_ > bucket_end_) corrupt();
  window_end_ = std::min(window_begin_ + kWindowBytes, bucket_end_);
  bits_ =
      store::BitReader(reader_.shard_of(bucket_ - 1).file->read(window_begin_, window_end_ - window_begin_, scratch_));
  bits_.skip(bit % 8);
}

// Makes sure that the window holds kLeastBits more, or all that is left of the bucket.
void PostsReader::Cursor::fill() {
  if (window_end_ < bucket_end_ && (window_end_ - window_begin_) * 8 < bits_.position() + kLeastBits) move_to(bit());
}

// Opens bucket_ or the first one after it that has lists.
bool PostsReader::Cursor::open_bucket() {
  const unsigned shift = reader_.blot_bits_ - reader_.bucket_bits_;
  for (; bucket_ < reader_.buckets_ && bucket_ << shift < end_; ++bucket_) {
    const auto [begin, end] = reader_.bucket_range(bucket_);
    if (begin == end) continue;
    next_blot_ = bucket_++ << shift;
    bucket_end_ = end;
    move_to(begin * 8);
    const std::string_view bytes = bits_.bytes();
    const char* at = bytes.data();
    if (!store::get_varint(at, at + bytes.size(), lists_)) corrupt();
    bits_.skip(static_cast<std::uint64_t>(at - bytes.data()) * 8);
    if (lists_ > 0) return true;
  }
  return false;
}

void PostsReader::Cursor::next() {
  skip_places();
  if (lists_ == 0 && !open_bucket()) {
    at_end_ = true;
    return;
  }
  fill();
  store::BitReader bits = bits_;
  blot_ = next_blot_ + bits.rice(reader_.gap_bits_);
  count_ = bits.gamma();
  const std::uint64_t long_bits = count_ >= kLongList ? bits.gamma() : 0;
  bits_ = bits;
  if (!bits.ok() || blot_ < next_blot_ || blot_ >> (reader_.blot_bits_ - reader_.bucket_bits_) != bucket_ - 1 ||
      count_ > reader_.blocks_ || count_ / 8 > bucket_end_ - window_begin_ ||
      long_bits > (bucket_end_ - window_begin_) * 8)
    corrupt();
  list_end_ = bit() + long_bits;
  next_blot_ = blot_ + 1;
  left_ = count_;
  --lists_;
  at_end_ = blot_ >= end_;
}

void PostsReader::Cursor::skip_places() {
  if (left_ == 0) return;
  if (count_ >= kLongList && (list_end_ < bit() || list_end_ > window_end_ * 8)) {
    move_to(list_end_);
  } else if (count_ >= kLongList) {
    bits_.skip(list_end_ - bit());
  } else {
    store::BitReader bits = bits_;
    if (left_ == count_) {
      bits.wide(reader_.place_bits_);
      --left_;
    }
    for (; left_ > 0; --left_) bits.delta();
    bits_ = bits;
    if (!bits.ok()) corrupt();
  }
  left_ = 0;
}

std::span<const std::uint64_t> PostsReader::Cursor::places() {
  const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPlacesAtOnce));
  if (some == 0) return {};
  fill();
  store::BitReader bits = bits_;
  const std::uint64_t blocks = reader_.blocks_;
  std::uint64_t place = place_;
  std::size_t i = 0;
  if (left_ == count_) {
    place = bits.wide(reader_.place_bits_);
    places_[i++] = place + shift_;
  }
  for (; i < some; ++i) {
    const std::uint64_t gap = bits.delta();
    // The place must neither pass the end nor overflow.
    if (gap >= blocks - std::min(place, blocks)) corrupt();
    place += gap;
    places_[i] = place + shift_;
  }
  if (!bits.ok() || place >= blocks) corrupt();
  bits_ = bits;
  place_ = place;
  left_ -= some;
  return {places_.data(), some};
}

void PostsReader::check(const std::function<void(std::uint64_t)>& done) {
  const unsigned shift = blot_bits_ - bucket_bits_;
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    Shard& shard = shards_[i];
    shard.file->check_all(done);
    std::uint64_t blots = 0;
    std::uint64_t posts = 0;
    for (Cursor cursor(*this, i * per_shard_ << shift, (i + 1) * per_shard_ << shift); !cursor.at_end();
         cursor.next()) {
      ++blots;
      for (auto places = cursor.places(); !places.empty(); places = cursor.places()) posts += places.size();
    }
    if (blots != shard.blots || posts != shard.posts) shard.file->corrupt("number of lists differs from the footer");
  }
}

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
