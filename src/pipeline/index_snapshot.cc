#include "pipeline/index_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "blot/blot_format.h"
#include "refrain/error.h"
#include "text/token_hash.h"

namespace refrain {

namespace fs = std::filesystem;

Snapshot::Segment::Segment(const fs::path& folder, const SegmentInfo& info, const IndexLayout& layout)
    : documents(segment_folder(folder, info), info.documents_file),
      posts(segment_folder(folder, info), info.posts_files, layout.blot_bits, info.blocks),
      texts(folder, info, documents),
      removed(read_removed(folder, info)) {
  if (documents.documents() != info.documents || documents.blocks() != info.blocks)
    documents.corrupt("it is not the file that the manifest names");
}

Snapshot::Segment::Segment(const Segment& other)
    : documents(other.documents),
      posts(other.posts),
      texts(other.texts, documents),
      removed(other.removed),
      first_document(other.first_document),
      first_block(other.first_block) {}

Snapshot::Snapshot(const fs::path& folder) : folder_(folder) {
  // A commit may take away what the one before was made of, between our reading of the manifest and of the rest.
  constexpr int kAttempts = 20;
  for (int attempt = 1;; ++attempt) {
    manifest_ = read_manifest(folder_);
    try {
      open();
      return;
    } catch (const Error&) {
      if (attempt == kAttempts || read_manifest(folder_).generation == manifest_.generation) throw;
    }
  }
}

Snapshot::Snapshot(const Snapshot& other)
    : folder_(other.folder_),
      manifest_(other.manifest_),
      documents_(other.documents_),
      blocks_(other.blocks_),
      tokenizer_(make_tokenizer(manifest_.layout.tokenizer)) {
  for (const auto& segment : other.segments_) segments_.push_back(std::make_unique<Segment>(*segment));
}

std::unique_ptr<Snapshot> Snapshot::clone() const {
  return std::unique_ptr<Snapshot>(new Snapshot(*this));
}

void Snapshot::open() {
  segments_.clear();
  documents_ = 0;
  blocks_ = 0;
  for (const SegmentInfo& info : manifest_.segments) {
    segments_.push_back(std::make_unique<Segment>(folder_, info, manifest_.layout));
    segments_.back()->first_document = documents_;
    segments_.back()->first_block = blocks_;
    documents_ += info.documents;
    blocks_ += info.blocks;
  }
  tokenizer_ = make_tokenizer(manifest_.layout.tokenizer);
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
  for (const SegmentInfo& segment : manifest_.segments) live -= segment.removed;
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

void Snapshot::drop_removed(Segment& segment, std::vector<std::uint64_t>& blocks, std::size_t first) {
  if (segment.removed.empty()) return;
  const auto gone = [&](std::uint64_t block) {
    return segment.removed[segment.documents.document_at(block - segment.first_block)];
  };
  blocks.erase(std::remove_if(blocks.begin() + static_cast<std::ptrdiff_t>(first), blocks.end(), gone), blocks.end());
}

void Snapshot::places(std::uint64_t blot, std::vector<std::uint64_t>& blocks) {
  blocks.clear();
  for (const auto& segment : segments_) {
    const std::size_t before = blocks.size();
    segment->posts.find(blot, segment->first_block, blocks);
    drop_removed(*segment, blocks, before);
  }
}

void Snapshot::for_each_blot(
    std::uint64_t begin, std::uint64_t end,
    const std::function<void(std::uint64_t blot, std::span<const std::uint64_t> blocks)>& visit) {
  std::vector<PostsReader::Cursor> cursors;
  cursors.reserve(segments_.size());
  for (const auto& segment : segments_) cursors.emplace_back(segment->posts, begin);
  std::vector<std::uint64_t> blocks;
  for (;;) {
    std::uint64_t blot = std::numeric_limits<std::uint64_t>::max();
    for (const PostsReader::Cursor& cursor : cursors)
      if (!cursor.at_end()) blot = std::min(blot, cursor.blot());
    if (blot >= end) return;
    blocks.clear();
    for (std::size_t i = 0; i < cursors.size(); ++i) {
      if (cursors[i].at_end() || cursors[i].blot() != blot) continue;
      const std::size_t before = blocks.size();
      for (const std::uint64_t place : cursors[i].places()) blocks.push_back(place + segments_[i]->first_block);
      drop_removed(*segments_[i], blocks, before);
      cursors[i].next();
    }
    if (!blocks.empty()) visit(blot, blocks);
  }
}

std::string Snapshot::text(DocId document) {
  const Place at = place(document);
  return at.segment.texts.read(at.document, 0, std::numeric_limits<std::uint64_t>::max());
}

Snapshot::Piece Snapshot::piece(DocId document, std::uint64_t first, std::uint64_t last) {
  const Place at = place(document);
  const std::uint64_t mark = first / kMarkTokens;
  Piece piece;
  piece.text = at.segment.texts.read(at.document, mark, (last + kMarkTokens - 1) / kMarkTokens);
  const std::vector<TextMark>& marks = at.segment.texts.about(at.document).marks;
  piece.begin = mark < marks.size() ? marks[mark].begin : 0;
  piece.first_token = mark * kMarkTokens;
  return piece;
}

void Snapshot::read_tokens(DocId document, std::uint64_t first, std::uint64_t last, std::vector<DocumentToken>& out) {
  out.clear();
  last = std::min(last, tokens(document));
  if (first >= last) return;
  const Piece read = piece(document, first, last);
  std::uint64_t number = read.first_token;
  for (std::size_t position = 0; position < read.text.size() && number < last;) {
    position = tokenizer_->next(read.text, position, block_);
    hashes_.resize(block_.size());
    hash_tokens(HashKind::xxh3, block_, 0, hashes_.data());
    for (std::size_t i = 0; i < block_.size() && number < last; ++i, ++number) {
      if (number < first) continue;
      const ByteRange range = block_.range(i);
      out.push_back({static_cast<std::uint32_t>(hashes_[i]), {range.begin + read.begin, range.end + read.begin}});
    }
  }
  if (number < last)
    throw Error(Errc::corrupt,
                fmt::format("{}: it has other tokens than when it was indexed; check the index", id(document)));
}

}  // namespace refrain
