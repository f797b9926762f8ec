#include "verbs/index/write/segments.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "base/progress.h"
#include "base/relay.h"
#include "base/threads.h"
#include "engines/blot/document_reader.h"
#include "engines/blot/format.h"
#include "engines/blot/posts_reader.h"
#include "engines/blot/posts_writer.h"
#include "refrain/error.h"
#include "store/segments/folder.h"

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

namespace {

constexpr std::uint64_t kReport = 1 << 16;

// One of the segments to be merged.
class Source {
 public:
  Source(const fs::path& folder, const blot::SegmentInfo& info, const IndexLayout& layout, MemoryBudget& budget)
      : documents(store::segment_path(folder, info.number), info.documents_file),
        posts(store::segment_path(folder, info.number), info.posts_files, blot::key_bits(layout), info.blocks),
        removed(store::read_removed(folder, blot::kIndexKind, info)),
        begins_(budget, "the table of documents"),
        lost_(budget, "the table of documents") {
    if (info.texts_file) texts.emplace(store::segment_path(folder, info.number), *info.texts_file);
  }

  bool is_removed(std::uint64_t document) const { return !removed.empty() && removed[document]; }

  // Must be called before append(). `first` is the new number of the first block of its first document.
  void place(std::uint64_t first) {
    first_ = first;
    if (removed.empty()) return;
    begins_.resize(documents.documents());
    lost_.resize(documents.documents());
    std::uint64_t lost = 0;
    for (std::uint64_t i = 0; i < documents.documents(); ++i) {
      begins_[i] = documents.first_block(i);
      lost_[i] = lost;
      if (removed[i]) lost += blot::blocks_of(documents.info(i).tokens);
    }
  }
  std::uint64_t first() const { return first_; }
  // Appends the new positions of places. `places` count from first() on, as if no document had been removed.
  void append(std::span<const std::uint64_t> places, blot::BucketEncoder& out) const {
    if (removed.empty()) return out.append(places);
    for (const std::uint64_t place : places) {
      const auto behind = std::upper_bound(begins_.begin(), begins_.end(), place - first_);
      const auto document = static_cast<std::size_t>(behind - begins_.begin()) - 1;
      if (!removed[document]) out.append(place - lost_[document]);
    }
  }

  blot::DocumentReader documents;
  blot::PostsReader posts;
  std::optional<blot::TextReader> texts;
  std::vector<bool> removed;

 private:
  std::uint64_t first_ = 0;
  Array<std::uint64_t> begins_;  // the first block of every document
  Array<std::uint64_t> lost_;    // blocks of removed documents before it
};

bool is_relative(const blot::DocumentInfo& document) {
  const blot::TextPlace& place = document.place;
  return place.home != blot::TextLocation::stored &&
         fs::path(place.home == blot::TextLocation::file ? document.id : place.path).is_relative();
}

// The root to which the most documents are relative; if there are several, the first. Only these keep their short
// paths.
std::string choose_root(std::span<const std::unique_ptr<Source>> sources) {
  std::map<std::string, std::uint64_t> relative;
  for (const auto& source : sources)
    if (!source->documents.root().empty()) relative.emplace(source->documents.root(), 0);
  if (relative.empty()) return {};
  if (relative.size() == 1) return relative.begin()->first;
  for (const auto& source : sources) {
    if (source->documents.root().empty()) continue;
    std::uint64_t& count = relative.at(source->documents.root());
    for (std::uint64_t i = 0; i < source->documents.documents(); ++i)
      if (!source->is_removed(i) && is_relative(source->documents.info(i))) ++count;
  }
  const std::string* best = nullptr;
  for (const auto& source : sources) {
    const std::string& root = source->documents.root();
    if (!root.empty() && (best == nullptr || relative.at(root) > relative.at(*best))) best = &root;
  }
  return *best;
}

// Makes a path absolute if it is relative to another root than that of the new segment.
void keep_path(blot::DocumentInfo& document, const std::string& root, bool same_root) {
  if (same_root || !is_relative(document)) return;
  blot::TextPlace& place = document.place;
  const std::string path =
      (fs::path(root) / (place.home == blot::TextLocation::file ? document.id : place.path)).string();
  if (place.home == blot::TextLocation::file)
    place = {.home = blot::TextLocation::part, .path = path, .begin = 0, .bytes = document.text_bytes};
  else
    place.path = path;
}

}  // namespace

blot::SegmentInfo merge_segments(const fs::path& folder, const IndexLayout& layout,
                                 std::span<const blot::SegmentInfo> segments, std::uint64_t number,
                                 const Context& context, MemoryBudget& budget) {
  const fs::path target = store::segment_path(folder, number);
  make_folder(target);

  std::vector<std::unique_ptr<Source>> sources;
  std::uint64_t posts = 0;
  std::uint64_t total = 0;
  for (const blot::SegmentInfo& segment : segments) {
    sources.push_back(std::make_unique<Source>(folder, segment, layout, budget));
    posts += segment.posts;
    total += segment.documents + segment.blots;
  }
  Progress progress(context, "merge", "rows", total);

  const std::string root = choose_root(sources);
  blot::DocumentWriter documents(target, root, budget);
  std::optional<blot::TextWriter> texts;
  for (const auto& source : sources) {
    source->place(documents.blocks());
    const bool same_root = source->documents.root() == root;
    for (std::uint64_t i = 0; i < source->documents.documents(); ++i) {
      if (i % kReport == kReport - 1) progress.add(kReport);
      if (source->is_removed(i)) continue;
      blot::DocumentInfo document = source->documents.with_marks(i);
      if (document.place.home == blot::TextLocation::stored) {
        if (!source->texts) source->documents.corrupt("refers to stored texts, but there are none");
        if (!texts) texts.emplace(target);
        document.place.stored =
            texts->add({source->texts->frames(document), document.place.frames, document.text_bytes});
      }
      keep_path(document, source->documents.root(), same_root);
      documents.add(document);
    }
  }

  const blot::PostsPlan plan(blot::key_bits(layout), layout.shards, posts, documents.blocks());
  blot::PostsWriter out(target, plan, budget);
  blot::BucketEncoder encoder(plan, budget);
  std::vector<blot::PostsMerge::Source> lists;
  for (const auto& source : sources) lists.push_back({&source->posts, source->first()});
  blot::PostsMerge merge(lists, 0, std::uint64_t{1} << blot::key_bits(layout));
  std::uint64_t bucket = 0;
  for (std::uint64_t rows = 0; merge.next(); ++rows) {
    if (rows % kReport == kReport - 1) progress.add(kReport);
    if (plan.bucket_of(merge.blot()) != bucket) {
      out.add(encoder.buckets());
      encoder.clear();
      bucket = plan.bucket_of(merge.blot());
    }
    encoder.begin(merge.blot());
    for (const blot::PostsMerge::List& list : merge.lists())
      for (auto places = list.places->places(); !places.empty(); places = list.places->places())
        sources[list.source]->append(places, encoder);
    encoder.end();
  }
  out.add(encoder.buckets());
  blot::PostsTotals posts_totals = out.finish();
  blot::SegmentInfo merged = finish_segment(number, documents.finish(), std::move(posts_totals), texts);
  sync_folder(target);
  progress.finish();
  return merged;
}

}  // namespace refrain::verbs::index
