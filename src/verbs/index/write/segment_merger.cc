#include "verbs/index/write/segment_merger.h"

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
#include "engines/blot/document_reader.h"
#include "engines/blot/format.h"
#include "engines/blot/posts_merge.h"
#include "engines/blot/posts_reader.h"
#include "engines/blot/posts_writer.h"
#include "refrain/error.h"
#include "store/segments/removed.h"
#include "verbs/index/write/segment_builder.h"

namespace refrain::verbs::index {

namespace fs = std::filesystem;

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
