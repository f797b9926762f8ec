#include "verbs/index/read/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "engines/blot/format.h"
#include "refrain/error.h"
#include "store/segments/folder.h"

namespace refrain::verbs::index {

namespace fs = std::filesystem;

Snapshot::Segment::Segment(const fs::path& folder, const blot::SegmentInfo& info, const IndexLayout& layout)
    : documents(store::segment_path(folder, info.number), info.documents_file),
      posts(store::segment_path(folder, info.number), info.posts_files, blot::key_bits(layout), info.blocks),
      texts(folder, info, documents),
      removed(store::read_removed(folder, blot::kIndexKind, info)) {
  if (documents.documents() != info.documents || documents.blocks() != info.blocks)
    documents.corrupt("not the file named in the manifest");
}

Snapshot::Segment::Segment(const Segment& other)
    : documents(other.documents),
      posts(other.posts),
      texts(other.texts, documents),
      removed(other.removed),
      first_document(other.first_document),
      first_block(other.first_block) {}

Snapshot::Snapshot(const fs::path& folder) : folder_(folder) {
  // A commit may delete files of the previous one after its manifest has been read here and before they are opened.
  constexpr int kAttempts = 20;
  for (int attempt = 1;; ++attempt) {
    manifest_ = blot::read_manifest(folder_);
    try {
      open();
      identity_ = blot::identity_of(manifest_);
      return;
    } catch (const Error&) {
      if (attempt == kAttempts || blot::identity_of(blot::read_manifest(folder_)) == blot::identity_of(manifest_))
        throw;
    }
  }
}

Snapshot::Snapshot(const Snapshot& other)
    : folder_(other.folder_),
      manifest_(other.manifest_),
      identity_(other.identity_),
      documents_(other.documents_),
      blocks_(other.blocks_),
      hasher_(manifest_.layout.tokenizer) {
  for (const auto& segment : other.segments_) add(std::make_unique<Segment>(*segment));
}

std::unique_ptr<Snapshot> Snapshot::clone() const {
  return std::unique_ptr<Snapshot>(new Snapshot(*this));
}

void Snapshot::open() {
  segments_.clear();
  posts_.clear();
  documents_ = 0;
  blocks_ = 0;
  for (const blot::SegmentInfo& info : manifest_.segments) {
    auto segment = std::make_unique<Segment>(folder_, info, manifest_.layout);
    segment->first_document = documents_;
    segment->first_block = blocks_;
    add(std::move(segment));
    documents_ += info.documents;
    blocks_ += info.blocks;
  }
  hasher_.emplace(manifest_.layout.tokenizer);
}

void Snapshot::add(std::unique_ptr<Segment> segment) {
  posts_.push_back({&segment->posts, segment->first_block});
  segments_.push_back(std::move(segment));
}

Snapshot::Place Snapshot::place(DocId document) const {
  const auto behind = std::upper_bound(
      segments_.begin(), segments_.end(), document,
      [](DocId value, const std::unique_ptr<Segment>& segment) { return value < segment->first_document; });
  Segment& segment = **std::prev(behind);
  return {segment, document - segment.first_document};
}

Snapshot::Segment& Snapshot::segment_at(std::uint64_t block) const {
  const auto behind = std::upper_bound(
      segments_.begin(), segments_.end(), block,
      [](std::uint64_t value, const std::unique_ptr<Segment>& segment) { return value < segment->first_block; });
  return **std::prev(behind);
}

bool Snapshot::removed(DocId document) const {
  const Place at = place(document);
  return !at.segment.removed.empty() && at.segment.removed[at.document];
}

std::uint64_t Snapshot::live() const {
  std::uint64_t live = documents_;
  for (const blot::SegmentInfo& segment : manifest_.segments) live -= segment.removed;
  return live;
}

std::uint64_t Snapshot::first_block(DocId document) {
  const Place at = place(document);
  return at.segment.first_block + at.segment.documents.first_block(at.document);
}

std::uint64_t Snapshot::tokens(DocId document) {
  const Place at = place(document);
  return at.segment.documents.info(at.document).tokens;
}

std::string Snapshot::id(DocId document) {
  const Place at = place(document);
  return at.segment.documents.info(at.document).id;
}

DocId Snapshot::document_at(std::uint64_t block) {
  Segment& segment = segment_at(block);
  return segment.first_document + segment.documents.document_at(block - segment.first_block);
}

std::optional<DocId> Snapshot::find(std::string_view id) {
  std::optional<DocId> found;
  for (const auto& segment : segments_)
    segment->documents.find(id, [&](std::uint64_t document) {
      if (!segment->removed.empty() && segment->removed[document]) return false;
      found = segment->first_document + document;
      return true;
    });
  return found;
}

Snapshot::Holding::Holding(Snapshot& snapshot) : snapshot_(snapshot) {
  for (const auto& segment : snapshot_.segments_) segment->texts.keep_file(true);
}

Snapshot::Holding::~Holding() {
  for (const auto& segment : snapshot_.segments_) segment->texts.keep_file(false);
  if (room_.bytes() > 0) set_pages(0);
}

void Snapshot::Holding::hold_pages(MemoryBudget& budget, unsigned sharers) {
  constexpr std::uint64_t kMostHeldBytes = std::uint64_t{16} << 20U;
  constexpr std::uint64_t kPartOfBudget = 32;
  std::uint64_t all = 0;
  for (const auto& segment : snapshot_.segments_) all += segment->posts.bytes() + segment->documents.bytes();
  const std::uint64_t bytes = std::min({all, kMostHeldBytes, budget.available() / kPartOfBudget / sharers});
  if (bytes == 0) return;
  room_ = budget.reserve(bytes, "pages of the index");
  set_pages(static_cast<double>(bytes) / static_cast<double>(all));
}

void Snapshot::Holding::set_pages(double share) {
  for (const auto& segment : snapshot_.segments_) {
    segment->posts.hold_pages(share);
    segment->documents.hold_pages(share);
  }
}

Snapshot::Blots::Blots(Snapshot& snapshot, std::uint64_t begin, std::uint64_t end)
    : snapshot_(snapshot), merge_(snapshot.posts_, begin, end) {}

bool Snapshot::Blots::next() {
  while (merge_.next()) {
    list_ = 0;
    looked_ahead_ = false;
    const auto is_whole = [&](const blot::PostsMerge::List& list) {
      return snapshot_.segments_[list.source]->removed.empty();
    };
    if (std::any_of(merge_.lists().begin(), merge_.lists().end(), is_whole)) return true;
    looked_ahead_ = !blocks().empty();
    if (looked_ahead_) return true;
  }
  return false;
}

std::uint64_t Snapshot::Blots::most() const {
  std::uint64_t most = 0;
  for (const blot::PostsMerge::List& list : merge_.lists()) most += list.places->count();
  return most;
}

std::span<const std::uint64_t> Snapshot::Blots::blocks() {
  if (std::exchange(looked_ahead_, false)) return kept_;
  for (; list_ < merge_.lists().size(); ++list_) {
    const blot::PostsMerge::List& list = merge_.lists()[list_];
    Segment& segment = *snapshot_.segments_[list.source];
    for (auto some = list.places->places(); !some.empty(); some = list.places->places()) {
      if (segment.removed.empty()) return some;
      kept_.clear();
      for (const std::uint64_t block : some)
        if (!segment.removed[segment.documents.document_at(block - segment.first_block)]) kept_.push_back(block);
      if (!kept_.empty()) return kept_;
    }
  }
  return {};
}

std::string Snapshot::text(DocId document) {
  const Place at = place(document);
  return at.segment.texts.read(at.document, 0, std::numeric_limits<std::uint64_t>::max());
}

std::uint64_t Snapshot::text_room(DocId document) {
  const Place at = place(document);
  return at.segment.texts.room(at.document);
}

Snapshot::Piece Snapshot::piece(DocId document, std::uint64_t first, std::uint64_t last) {
  const Place at = place(document);
  const std::uint64_t mark = first / blot::kMarkTokens;
  Piece piece;
  piece.text = at.segment.texts.read(at.document, mark, (last + blot::kMarkTokens - 1) / blot::kMarkTokens);
  const std::vector<blot::TextMark>& marks = at.segment.texts.about(at.document).marks;
  piece.begin = mark < marks.size() ? marks[mark].begin : 0;
  piece.first_token = mark * blot::kMarkTokens;
  return piece;
}

std::vector<std::uint32_t> Snapshot::token_hashes(DocId document, std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint32_t> hashes;
  last = std::min(last, tokens(document));
  if (first >= last) return hashes;
  hashes.reserve(last - first);
  const Piece read = piece(document, first, last);
  hasher_->read(read.text, read.first_token, first, last, [&](const text::TokenStretch& stretch) {
    for (const std::uint64_t hash : stretch.hashes()) hashes.push_back(static_cast<std::uint32_t>(hash));
  });
  if (hashes.size() < last - first)
    throw Error(Errc::corrupt,
                fmt::format("{}: token count differs from the index; run 'refrain index check'", id(document)));
  return hashes;
}

}  // namespace refrain::verbs::index
