#include "engines/blot/posts_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "engines/blot/format.h"
#include "refrain/error.h"
#include "store/varint.h"

namespace refrain::blot {

namespace {

void append_number(std::string& out, std::uint64_t value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// Clears a buffer, and releases its memory if one list with very many places made it large.
void clear_and_shrink(Array<char>& bytes) {
  constexpr std::size_t kKept = std::size_t{64} << 10U;
  if (bytes.size() > kKept) bytes.resize(0);
  bytes.clear();
}

}  // namespace

std::uint64_t checked_bucket_place(std::uint64_t place) {
  if (place >> (8 * kBucketPlaceBytes) == 0) return place;
  throw Error(Errc::unsupported,
              "the posts of one shard take more than 1 TiB; create the index with more `shards`, or several indexes");
}

PostsPlan::PostsPlan(unsigned bits, unsigned number_of_shards, std::uint64_t posts, std::uint64_t blocks)
    : blot_bits(bits), shards(number_of_shards) {
  const auto shard_bits = static_cast<unsigned>(std::countr_zero(shards));
  const auto wanted = static_cast<unsigned>(std::bit_width(posts / kBucketPosts));
  bucket_bits = std::clamp(wanted == 0 ? 0 : wanted - 1, shard_bits, blot_bits);
  // The gaps between n random blots in a range of r average r / n; rice codes are smallest slightly below that.
  const std::uint64_t range = std::uint64_t{1} << (blot_bits - bucket_bits);
  const std::uint64_t each = std::max<std::uint64_t>(posts >> bucket_bits, 1);
  gap_bits = range <= each ? 0 : static_cast<unsigned>(std::bit_width(range / each)) - 1;
  place_bits = static_cast<unsigned>(std::bit_width(blocks));
}

std::string posts_name(unsigned shard) {
  return fmt::format("posts-{:02}.bin", shard);
}

BucketEncoder::BucketEncoder(const PostsPlan& plan, MemoryBudget& budget)
    : plan_(plan), done_(budget), lists_(budget, kWhat), long_list_(budget, "the places of a blot") {}

void BucketEncoder::put_first(Bits& bits) const {
  bits.wide(first_.front(), plan_.place_bits);
  for (std::size_t i = 1; i < std::min(count_, kLongList); ++i) bits.delta(first_[i] - first_[i - 1]);
}

void BucketEncoder::start_long() {
  clear_and_shrink(long_list_);
  put_first(long_bits_.emplace(long_list_));
}

void BucketEncoder::append_to_long(std::uint64_t place) {
  if (count_ == kLongList) start_long();
  long_bits_->delta(place - last_);
}

void BucketEncoder::end() {
  if (count_ == 0) return;
  const std::uint64_t bucket = plan_.bucket_of(blot_);
  if (open_.blots == 0 || bucket != open_.number) {
    end_bucket();
    open_ = {bucket, done_.bytes.size(), 0, 0};
    next_ = bucket << (plan_.blot_bits - plan_.bucket_bits);
    bits_.emplace(lists_);
  }
  const std::uint64_t gap = blot_ - std::exchange(next_, blot_ + 1);
  ++open_.blots;
  open_.posts += count_;
  if (count_ == 1 && put_single(gap)) return;
  bits_->rice(gap, plan_.gap_bits);
  bits_->gamma(count_);
  if (count_ < kLongList) {
    put_first(*bits_);
  } else {
    if (count_ == kLongList) start_long();
    const std::uint64_t size = long_bits_->size();
    long_bits_->finish();
    bits_->gamma(size);
    bits_->copy({long_list_.data(), long_list_.size()}, size);
  }
}

// Most lists have one place: writes such a list in one step and returns true, or false if it has too many bits for
// that.
bool BucketEncoder::put_single(std::uint64_t gap) {
  constexpr std::uint64_t kMostBits = 56;
  const std::uint64_t zeros = gap >> plan_.gap_bits;
  const std::uint64_t place_at = zeros + 1 + plan_.gap_bits + 1;
  if (zeros >= kMostBits || place_at + plan_.place_bits > kMostBits) return false;
  const std::uint64_t low = gap & ((std::uint64_t{1} << plan_.gap_bits) - 1);
  bits_->bits(
      std::uint64_t{1} << zeros | low << (zeros + 1) | std::uint64_t{1} << (place_at - 1) | first_.front() << place_at,
      static_cast<unsigned>(place_at) + plan_.place_bits);
  return true;
}

void BucketEncoder::end_bucket() {
  if (open_.blots == 0) return;
  bits_->finish();
  std::array<char, store::kMaxVarintBytes> lists{};
  const char* const lists_end = store::put_varint(lists.data(), open_.blots);
  done_.bytes.append({lists.data(), static_cast<std::size_t>(lists_end - lists.data())});
  done_.bytes.append({lists_.data(), lists_.size()});
  clear_and_shrink(lists_);
  open_.bytes = done_.bytes.size() - open_.bytes;
  done_.buckets.push_back(open_);
  open_ = {};
}

const BucketEncoder::Buckets& BucketEncoder::buckets() {
  end_bucket();
  return done_;
}

void BucketEncoder::clear() {
  clear_and_shrink(done_.bytes);
  done_.buckets.clear();
}

PostsWriter::PostsWriter(const std::filesystem::path& folder, const PostsPlan& plan, MemoryBudget& budget)
    : folder_(folder), plan_(plan), places_(budget, "the table of blots") {
  open_shard();
}

void PostsWriter::open_shard() {
  out_ =
      std::make_unique<store::PageWriter>((folder_ / posts_name(shard_)).string(), kBlotPostsMagic, kBlotFormatVersion);
  places_.clear();
  shard_blots_ = 0;
  shard_posts_ = 0;
}

// Records the current position as the beginning of all buckets up to and including `bucket`.
void PostsWriter::advance(std::uint64_t bucket) {
  for (; next_bucket_ <= bucket; ++next_bucket_) {
    const std::uint64_t place = checked_bucket_place(out_->position());
    places_.append({reinterpret_cast<const char*>(&place), kBucketPlaceBytes});
  }
}

void PostsWriter::close_shard() {
  const std::uint64_t per_shard = plan_.buckets_per_shard();
  const std::uint64_t first = shard_ * per_shard;
  if (next_bucket_ < first + per_shard) advance(first + per_shard - 1);
  const std::uint64_t end = checked_bucket_place(out_->position());
  places_.append({reinterpret_cast<const char*>(&end), kBucketPlaceBytes});
  out_->write({places_.data(), places_.size()});
  std::string tail;
  for (const std::uint64_t value :
       {std::uint64_t{plan_.blot_bits}, std::uint64_t{plan_.bucket_bits}, std::uint64_t{plan_.gap_bits},
        std::uint64_t{plan_.place_bits}, first, per_shard, shard_blots_, shard_posts_, end})
    append_number(tail, value);
  totals_.files.push_back(out_->finish(tail));
  totals_.blots += shard_blots_;
  totals_.posts += shard_posts_;
}

void PostsWriter::add(const BucketEncoder::Buckets& buckets) {
  std::size_t at = 0;
  for (const BucketEncoder::Bucket& bucket : buckets.buckets) {
    while (bucket.number >= (shard_ + 1) * plan_.buckets_per_shard()) {
      close_shard();
      ++shard_;
      open_shard();
    }
    advance(bucket.number);
    out_->write({buckets.bytes.data() + at, bucket.bytes});
    at += bucket.bytes;
    shard_blots_ += bucket.blots;
    shard_posts_ += bucket.posts;
  }
}

PostsTotals PostsWriter::finish() {
  for (;;) {
    close_shard();
    if (++shard_ == plan_.shards) break;
    open_shard();
  }
  return std::move(totals_);
}

}  // namespace refrain::blot
