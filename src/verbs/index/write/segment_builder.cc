#include "verbs/index/write/segment_builder.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/relay.h"
#include "base/threads.h"
#include "engines/blot/format.h"
#include "refrain/error.h"

namespace refrain::verbs::index {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kForReading = std::uint64_t{128} << 20;  // bytes that the posts leave of a large budget
constexpr std::uint64_t kPostBytes = 5;                          // about the most bytes that a post takes on disk

}  // namespace

DocumentDigester::DocumentDigester(const IndexLayout& layout, const text::Tokenizer& tokenizer)
    : layout_(layout), place_bits_(64 - blot::key_bits(layout)), stream_(layout, tokenizer) {}

DocumentDigest DocumentDigester::digest(std::string_view text, bool store, Array<PostWord>& posts) {
  stream_.start(text);
  std::span<const blot::ChosenWindow> chosen;
  PostWord last = ~PostWord{0};
  const auto post = [&](std::uint64_t blot, std::uint64_t token) {
    const PostWord word = blot << place_bits_ | token / blot::kBlockTokens;
    if (word != last) posts.push_back(word);
    last = word;
  };
  const std::uint64_t mask = blot::blot_mask(layout_.blot_bits);
  while (stream_.next(chosen)) {
    posts.reserve_more(chosen.size() + stream_.pairs().size());
    for (const blot::ChosenWindow& window : chosen) post(window.blot & mask, window.first);
    for (const blot::ChosenWindow& pair : stream_.pairs()) post(blot::pair_key(layout_, pair.blot), pair.first);
  }
  DocumentDigest digest;
  digest.tokens = stream_.tokens();
  digest.text_bytes = text.size();
  digest.posts_end = posts.size();
  digest.marks.assign(stream_.marks().begin(), stream_.marks().end());
  if (store) {
    if (!packer_) packer_.emplace();
    digest.packed = packer_->pack(text, digest.marks);
  }
  return digest;
}

SegmentBuilder::SegmentBuilder(fs::path folder, const IndexLayout& layout, std::string_view root,
                               std::uint64_t expected_posts, const Context& context, MemoryBudget& budget,
                               TempSpace& temp)
    : folder_(std::move(folder)),
      layout_(layout),
      place_bits_(64 - blot::key_bits(layout)),
      context_(context),
      budget_(budget),
      documents_(folder_, root, budget) {
  store::ShuffleOptions options;
  options.what = "the posts";
  options.key_bits = blot::key_bits(layout);
  options.expected_records = expected_posts;
  options.order_values = true;
  options.temp = &temp;
  options.compress = false;  // at most two fifths of the text, and fast to make
  const std::uint64_t available = budget.available();
  options.memory_bytes =
      std::max(available / 2, std::min(available * 3 / 4, available - std::min(available, kForReading)));
  posts_ = std::make_unique<Posts>(options, budget, store::HighBits{place_bits_});
  writers_.resize(thread_count(context));
}

bool SegmentBuilder::has_room(std::uint64_t tokens) const {
  return documents_.blocks() + blot::blocks_of(tokens) <= std::uint64_t{1} << std::min(place_bits_, 56U);
}

std::uint64_t SegmentBuilder::add(std::string id, blot::TextPlace place, DocumentDigest& digest) {
  const std::uint64_t base = documents_.blocks();
  if (digest.packed) {
    if (!texts_) texts_.emplace(folder_);
    place = {.home = blot::TextLocation::stored,
             .stored = texts_->add(*digest.packed),
             .frames = std::move(digest.packed->frames)};
  }
  documents_.add({std::move(id), digest.tokens, digest.text_bytes, std::move(place), std::move(digest.marks)});
  return base;
}

void SegmentBuilder::add(PlacedPosts posts) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(posts));
}

void SegmentBuilder::shuffle(unsigned worker) {
  struct Turn {
    explicit Turn(SegmentBuilder& of) : builder(of) {
      const std::lock_guard lock(builder.mutex_);
      ++builder.shuffling_;
    }
    ~Turn() {
      const std::lock_guard lock(builder.mutex_);
      if (--builder.shuffling_ == 0) builder.idle_.notify_all();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    // The next waiting posts, or nullopt.
    std::optional<PlacedPosts> next() const {
      const std::lock_guard lock(builder.mutex_);
      if (builder.waiting_.empty()) return std::nullopt;
      std::optional<PlacedPosts> posts(std::move(builder.waiting_.front()));
      builder.waiting_.pop_front();
      return posts;
    }
    SegmentBuilder& builder;
  };
  const Turn turn(*this);
  while (const std::optional<PlacedPosts> posts = turn.next()) write(worker, *posts);
}

void SegmentBuilder::write(unsigned worker, const PlacedPosts& placed) {
  std::optional<Posts::Writer>& writer = writers_[worker];
  if (!writer) writer.emplace(posts_->writer());
  std::size_t i = 0;
  for (const PlacedPosts::Part& part : placed.parts)
    for (; i < part.end; ++i) writer->add(placed.posts[i] + part.base);
}

void SegmentBuilder::shuffle_rest() {
  std::deque<PlacedPosts> rest;
  {
    std::unique_lock lock(mutex_);
    rest.swap(waiting_);
    idle_.wait(lock, [this] { return shuffling_ == 0; });
  }
  for (const PlacedPosts& posts : rest) write(0, posts);
  writers_.clear();
}

blot::PostsTotals SegmentBuilder::write_posts() {
  shuffle_rest();
  const blot::PostsPlan plan(blot::key_bits(layout_), layout_.shards, posts_->size(), documents_.blocks());
  blot::PostsWriter out(folder_, plan, budget_);
  const std::uint64_t place_mask = (std::uint64_t{1} << place_bits_) - 1;
  const auto encode = [&](blot::BucketEncoder& encoder, const store::Run<PostWord>& run) {
    if (run.first) encoder.begin(run.key);
    for (const PostWord word : run.records) {
      const std::uint64_t place = word & place_mask;
      if (!encoder.ends_with(place)) encoder.append(place);
    }
    if (run.last) encoder.end();
  };
  Context context = context_;
  // Either partitions hold whole buckets, or buckets hold whole partitions, which are then read in order by one thread.
  if (plan.bucket_bits < posts_->partition_bits()) {
    context.threads = 1;
    blot::BucketEncoder encoder(plan, budget_);
    posts_->drain(context, 0, posts_->partitions(), budget_.available() / 2,
                  [&](unsigned, std::size_t, const store::Run<PostWord>& run) { encode(encoder, run); });
    out.add(encoder.buckets());
    return out.finish();
  }
  // The result of a partition waits until all before it have been written. As many run side by side as fit into memory.
  using Encoders = Relay<std::unique_ptr<blot::BucketEncoder>>;
  const std::uint64_t each = std::max<std::uint64_t>(posts_->size() / posts_->partitions() * kPostBytes, 1);
  const std::uint64_t fit = budget_.available() / 8 / each / Encoders::kThingsPerWorker;
  context.threads = static_cast<unsigned>(std::clamp<std::uint64_t>(fit, 1, thread_count(context_)));
  Encoders relay(context.threads);
  std::vector<blot::BucketEncoder*> encoders(context.threads);  // the current one of each worker
  posts_->drain_each(
      context, budget_.available() / 2,
      [&](unsigned worker, std::size_t /*partition*/, const store::Run<PostWord>& run) {
        encode(*encoders[worker], run);
      },
      [&](unsigned worker, std::size_t partition, auto read_it) {
        relay.add(
            worker, partition,
            [&](std::unique_ptr<blot::BucketEncoder>& encoder) {
              if (encoder)
                encoder->clear();
              else
                encoder = std::make_unique<blot::BucketEncoder>(plan, budget_);
              encoders[worker] = encoder.get();
              read_it();
            },
            [&](std::size_t, std::unique_ptr<blot::BucketEncoder>& encoder) { out.add(encoder->buckets()); });
      });
  return out.finish();
}

blot::SegmentInfo SegmentBuilder::finish(std::uint64_t number) {
  blot::PostsTotals posts = write_posts();
  blot::SegmentInfo info = finish_segment(number, documents_.finish(), std::move(posts), texts_);
  sync_folder(folder_);
  return info;
}

blot::SegmentInfo finish_segment(std::uint64_t number, const blot::DocumentTotals& documents, blot::PostsTotals posts,
                                 std::optional<blot::TextWriter>& texts) {
  blot::SegmentInfo info;
  info.number = number;
  info.documents = documents.documents;
  info.tokens = documents.tokens;
  info.blocks = documents.blocks;
  info.text_bytes = documents.text_bytes;
  info.documents_file = documents.file;
  info.blots = posts.blots;
  info.posts = posts.posts;
  info.posts_files = std::move(posts.files);
  if (texts) info.texts_file = texts->finish();
  return info;
}

}  // namespace refrain::verbs::index
