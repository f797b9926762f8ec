// Makes segments of an index: from documents, or from other segments.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "engines/blot/blotter.h"
#include "engines/blot/document_writer.h"
#include "engines/blot/manifest.h"
#include "engines/blot/posts_writer.h"
#include "refrain/context.h"
#include "store/shuffle.h"
#include "store/shuffle_layout.h"

namespace refrain::verbs::index {

// Makes a segment of an index from documents that are added in order: a folder with their posts, ids and marks.
//
// Many threads digest documents (tokens, blots, marks, compressed text). One thread at a time adds the digests,
// which gives the documents their places. Then many threads move the posts to the shuffle, as words of 64 bits with
// the blot above the place; the shuffle returns them in the order of the file.

// A post in a document: the blot in the upper bits of the word, the block in the lower ones.
using PostWord = std::uint64_t;

// The data of a document before it has its place in a segment.
struct DocumentDigest {
  std::uint64_t tokens = 0;
  std::uint64_t text_bytes = 0;
  std::size_t posts_end = 0;  // where its posts end among those of the batch
  std::vector<blot::TextMark> marks;
  std::optional<blot::PackedText> packed;  // its text, if it is to be stored
};

// The state of one thread.
class DocumentDigester {
 public:
  // The blot_bits of the layout must be settled, not 0.
  DocumentDigester(const IndexLayout& layout, const text::Tokenizer& tokenizer);
  DocumentDigest digest(std::string_view text, bool store, Array<PostWord>& posts);

 private:
  const IndexLayout layout_;
  const unsigned place_bits_;
  blot::BlotStream stream_;
  std::optional<blot::TextPacker> packer_;
};

// The posts of some documents that have their places. The posts of a part, which ends at `end`, must be raised by
// `base`.
struct PlacedPosts {
  struct Part {
    std::size_t end;
    std::uint64_t base;
  };
  Array<PostWord> posts;
  std::vector<Part> parts;
};

// Finishes the texts, if any, and returns what the manifest says about a segment whose other files are finished.
blot::SegmentInfo finish_segment(std::uint64_t number, const blot::DocumentTotals& documents, blot::PostsTotals posts,
                                 std::optional<blot::TextWriter>& texts);

class SegmentBuilder {
 public:
  SegmentBuilder(std::filesystem::path folder, const IndexLayout& layout, std::string_view root,
                 std::uint64_t expected_posts, const Context& context, MemoryBudget& budget, TempSpace& temp);

  // Whether a document of this many tokens still fits. Places are numbered with the bits that blots leave of 64.
  bool has_room(std::uint64_t tokens) const;
  // Adds a document. Must be called in order, by one thread at a time. Returns the place of its first block, by
  // which its posts must be raised.
  std::uint64_t add(std::string id, blot::TextPlace place, DocumentDigest& digest);
  // Adds the posts of documents that were added. They wait for a call of shuffle(), or at the latest finish().
  // Thread-safe.
  void add(PlacedPosts posts);
  // Moves waiting posts to the shuffle. Each worker may make one call at a time.
  void shuffle(unsigned worker);
  std::uint64_t documents() const { return documents_.documents(); }

  // Called after everything has been added; calls of shuffle() may still be running. Writes what is left, after
  // which all of it is safe on disk except for the folder's own directory entry.
  blot::SegmentInfo finish(std::uint64_t number);

 private:
  using Posts = store::Shuffle<PostWord, store::HighBits, store::NumberLayout>;

  void write(unsigned worker, const PlacedPosts& placed);
  void shuffle_rest();
  blot::PostsTotals write_posts();

  const std::filesystem::path folder_;
  const IndexLayout layout_;
  const unsigned place_bits_;
  const Context& context_;
  MemoryBudget& budget_;
  blot::DocumentWriter documents_;
  std::optional<blot::TextWriter> texts_;
  std::unique_ptr<Posts> posts_;
  std::vector<std::optional<Posts::Writer>> writers_;  // one per worker

  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<PlacedPosts> waiting_;
  unsigned shuffling_ = 0;  // workers inside shuffle()
};

// Merges consecutive segments into one, without the documents that were removed from them.
//
// `number` is that of the new segment, whose folder is made inside `folder`. Reads only posts, documents and stored
// texts. Takes memory for the bytes of one bucket, and a few bytes per document.
blot::SegmentInfo merge_segments(const std::filesystem::path& folder, const IndexLayout& layout,
                                 std::span<const blot::SegmentInfo> segments, std::uint64_t number,
                                 const Context& context, MemoryBudget& budget);

}  // namespace refrain::verbs::index
