// An index as one commit left it, opened for reading.
//
// Documents are numbered across all segments in the order in which they were added, including removed ones, and so
// are blocks (of kBlockTokens tokens of one document, engines/blot/format.h). A place is therefore the number of a
// block, which also determines the document.
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
#include "engines/blot/posts_reader.h"
#include "refrain/index.h"
#include "text/token_hasher.h"
#include "verbs/index/read/document_text.h"

namespace refrain::verbs::index {

// Not thread-safe; use clone() for another thread.
class Snapshot {
 public:
  // Opens the newest commit. Throws Error(not_found) if there is no index.
  explicit Snapshot(const std::filesystem::path& folder);
  // Opens the same commit again, even if there are newer ones. This snapshot may be in use meanwhile.
  std::unique_ptr<Snapshot> clone() const;

  const blot::Manifest& manifest() const { return manifest_; }
  const std::string& identity() const { return identity_; }
  const IndexLayout& layout() const { return manifest_.layout; }

  std::uint64_t documents() const { return documents_; }
  std::uint64_t blocks() const { return blocks_; }
  bool removed(DocId document) const;
  // The number of documents that are not removed.
  std::uint64_t live() const;
  std::uint64_t first_block(DocId document);
  std::uint64_t tokens(DocId document);
  std::string id(DocId document);
  DocId document_at(std::uint64_t block);
  // The document with this id that is not removed.
  std::optional<DocId> find(std::string_view id);

  // Iterates over the blots in [begin, end), ascending, with the blocks that hold them. Blocks of removed documents
  // are left out, and blots without any other block are skipped. Blocks are returned a batch at a time, because
  // there may be any number.
  class Blots;

  // While one exists, data that consecutive calls need is read once: the file of the last document stays open, and
  // pages of the index stay in memory.
  class Holding;

  // Returns the whole text of the document, or the part that holds its tokens [first, last), where `begin` is the
  // part's offset in the text. The text is verified by the checksums taken when it was indexed: throws
  // Error(bad_input), which names the file, if it has changed.
  std::string text(DocId document);
  // The most bytes that text() takes while it reads, including its result.
  std::uint64_t text_room(DocId document);
  struct Piece {
    std::string text;
    std::uint64_t begin = 0;        // in bytes
    std::uint64_t first_token = 0;  // the number of the first token in `text`
  };
  Piece piece(DocId document, std::uint64_t first, std::uint64_t last);
  // Returns 32 bits of the hash of each token in [first, last) of the document, or fewer if the document ends
  // earlier. Throws Error(corrupt) if the text has fewer tokens than the index says.
  std::vector<std::uint32_t> token_hashes(DocId document, std::uint64_t first, std::uint64_t last);
  // For texts of queries, too: it holds half a megabyte.
  text::TokenHasher& hasher() { return *hasher_; }

 private:
  struct Segment {
    Segment(const std::filesystem::path& folder, const blot::SegmentInfo& info, const IndexLayout& layout);
    explicit Segment(const Segment& other);
    blot::DocumentReader documents;
    blot::PostsReader posts;
    DocumentText texts;
    std::vector<bool> removed;         // empty if none is removed
    std::uint64_t first_document = 0;  // the number of its first document in the snapshot
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
  std::vector<blot::PostsMerge::Source> posts_;  // one per segment
  std::optional<text::TokenHasher> hasher_;      // always set
};

class Snapshot::Holding {
 public:
  explicit Holding(Snapshot& snapshot);
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
  ~Holding();

  // From now on, also keeps pages in memory, within a part of the budget that is divided among `sharers` holders,
  // each with its own snapshot. Useful from the second question on: for a single one, most pages are read once.
  void hold_pages(MemoryBudget& budget, unsigned sharers);

 private:
  void set_pages(double share);

  Snapshot& snapshot_;
  Reservation room_;
};

// Must not outlive its snapshot, which may be used for other calls meanwhile.
class Snapshot::Blots {
 public:
  Blots(Snapshot& snapshot, std::uint64_t begin, std::uint64_t end);
  // Only the given blot.
  Blots(Snapshot& snapshot, std::uint64_t blot) : Blots(snapshot, blot, blot + 1) {}

  // Advances to the next blot, initially to the first one. Returns false if there is none.
  bool next();
  std::uint64_t blot() const { return merge_.blot(); }
  // An upper bound of the number of its blocks: blocks of removed documents are included.
  std::uint64_t most() const;
  // The next blocks, ascending; empty when all have been returned. Valid until the next call.
  std::span<const std::uint64_t> blocks();

 private:
  Snapshot& snapshot_;
  blot::PostsMerge merge_;
  std::size_t list_ = 0;  // index into the lists of the merge
  std::vector<std::uint64_t> kept_;
  bool looked_ahead_ = false;  // kept_ has not been returned yet
};

}  // namespace refrain::verbs::index
