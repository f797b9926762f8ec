// An index as one commit left it, to be read.
//
// Documents are numbered through all segments, in the order in which they were added, removed ones included; blocks (of
// kBlockTokens tokens of one document, blot_format.h) likewise. So a place is a block, and the block tells the document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "engines/blot/document_reader.h"
#include "engines/blot/manifest.h"
#include "engines/blot/posts_merge.h"
#include "engines/blot/posts_reader.h"
#include "refrain/index.h"
#include "text/token_hasher.h"
#include "verbs/index/read/document_text.h"

namespace refrain::verbs::index {

// Not thread-safe; clone() for another thread.
class Snapshot {
 public:
  // The newest commit. Error(not_found) where there is no index.
  explicit Snapshot(const std::filesystem::path& folder);
  // The same commit again, whatever has been committed since. This one may be in use.
  std::unique_ptr<Snapshot> clone() const;

  const blot::Manifest& manifest() const { return manifest_; }
  const std::string& identity() const { return identity_; }
  const IndexLayout& layout() const { return manifest_.layout; }

  std::uint64_t documents() const { return documents_; }
  std::uint64_t blocks() const { return blocks_; }
  bool removed(DocId document) const;
  // Documents that are not removed.
  std::uint64_t live() const;
  std::uint64_t first_block(DocId document);
  std::uint64_t tokens(DocId document);
  std::string id(DocId document);
  DocId document_at(std::uint64_t block);
  // The one that is not removed.
  std::optional<DocId> find(std::string_view id);

  // Every blot that is not below `begin`, and below `end`, rising, with the blocks that hold it, those of removed
  // documents left out; blots without any are passed over. Blocks come some at a time: there may be any number.
  class Blots;

  // While there is one, much that is asked in a row is read once: the file of the documents that was read last stays open, and
  // pages of the index stay in memory.
  class Holding;

  // The document's text, whole, or what of it holds the tokens [first, last) of the document: `begin` is where it begins
  // in the text. Compared with the checksums that were taken when it was indexed: Error(bad_input), which names the file,
  // where it is no longer the same.
  std::string text(DocId document);
  // What text() takes at most, while it reads, its answer included.
  std::uint64_t text_room(DocId document);
  struct Piece {
    std::string text;
    std::uint64_t begin = 0;        // in bytes
    std::uint64_t first_token = 0;  // the number of the first token in `text`
  };
  Piece piece(DocId document, std::uint64_t first, std::uint64_t last);
  // 32 bits of the hashes of the tokens [first, last) of the document; fewer where it ends before. Error(corrupt) where the
  // text has fewer than the index tells.
  std::vector<std::uint32_t> token_hashes(DocId document, std::uint64_t first, std::uint64_t last);

 private:
  struct Segment {
    Segment(const std::filesystem::path& folder, const blot::SegmentInfo& info, const IndexLayout& layout);
    explicit Segment(const Segment& other);
    blot::DocumentReader documents;
    blot::PostsReader posts;
    DocumentText texts;
    std::vector<bool> removed;         // empty: none
    std::uint64_t first_document = 0;  // its number among all
    std::uint64_t first_block = 0;
  };
  struct Place {
    Segment& segment;
    std::uint64_t document;  // in the segment
  };

  explicit Snapshot(const Snapshot& other);
  void open();
  void add(std::unique_ptr<Segment> segment);
  Segment& segment_at(std::uint64_t block) const;
  Place place(DocId document) const;
  std::filesystem::path folder_;
  blot::Manifest manifest_;
  std::string identity_;
  std::uint64_t documents_ = 0;
  std::uint64_t blocks_ = 0;
  std::vector<std::unique_ptr<Segment>> segments_;
  std::vector<blot::PostsMerge::Source> posts_;  // a segment each
  std::optional<text::TokenHasher> hasher_;      // is there
};

class Snapshot::Holding {
 public:
  explicit Holding(Snapshot& snapshot);
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
  ~Holding();

  // From now on holds pages, too, as far as a part of the budget goes, which `sharers`, each with a snapshot of its own, share.
  // Of no use before a second question: for one, a page is mostly read once.
  void hold_pages(MemoryBudget& budget, unsigned sharers);

 private:
  void set_pages(double share);

  Snapshot& snapshot_;
  Reservation room_;
};

// As long as its snapshot, which may be asked other things meanwhile.
class Snapshot::Blots {
 public:
  Blots(Snapshot& snapshot, std::uint64_t begin, std::uint64_t end);
  // One blot.
  Blots(Snapshot& snapshot, std::uint64_t blot) : Blots(snapshot, blot, blot + 1) {}

  // To the next blot, at first to the first one; false where there is none.
  bool next();
  std::uint64_t blot() const { return merge_.blot(); }
  // Its blocks are no more than that: those of removed documents are counted.
  std::uint64_t most() const;
  // The next blocks, rising; none once all were told. Valid until the next call.
  std::span<const std::uint64_t> blocks();

 private:
  Snapshot& snapshot_;
  blot::PostsMerge merge_;
  std::size_t list_ = 0;  // of the merge's
  std::vector<std::uint64_t> kept_;
  bool looked_ahead_ = false;  // kept_ is still to be told
};

}  // namespace refrain::verbs::index
