// Makes a segment of an index: documents in, in order; a folder with their posts, ids and marks out.
//
// Many threads digest documents (tokens, blots, marks, compressed text); one at a time adds what they made, and so gives
// the documents their places. Then many threads again take the posts to the shuffle, as words of 64 bits, the blot above
// the place; they come back in the order of the file.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/blot/blotter.h"
#include "engines/blot/document_writer.h"
#include "engines/blot/manifest.h"
#include "engines/blot/posts_writer.h"
#include "refrain/context.h"
#include "store/number_layout.h"
#include "store/shuffle.h"

namespace refrain::verbs::index {

// A post in a document: the blot in the upper bits of the word, the block in the lower ones.
using PostWord = std::uint64_t;

// What is known of documents before they have their places in a segment.
struct DocumentDigest {
  std::uint64_t tokens = 0;
  std::uint64_t text_bytes = 0;
  std::size_t posts_end = 0;  // where its posts end among those of the batch
  std::vector<blot::TextMark> marks;
  std::optional<blot::PackedText> packed;  // its text, where that is to be stored
};

// One thread's side.
class DocumentDigester {
 public:
  // The layout has its blot_bits settled.
  DocumentDigester(const IndexLayout& layout, const text::Tokenizer& tokenizer);
  DocumentDigest digest(std::string_view text, bool store, Array<PostWord>& posts);

 private:
  const IndexLayout layout_;
  const unsigned place_bits_;
  blot::BlotStream stream_;
  std::optional<blot::TextPacker> packer_;
};

// The posts of some documents that have their places: all up to `end` are still `base` too low.
struct PlacedPosts {
  struct Part {
    std::size_t end;
    std::uint64_t base;
  };
  Array<PostWord> posts;
  std::vector<Part> parts;
};

class SegmentBuilder {
 public:
  SegmentBuilder(std::filesystem::path folder, const IndexLayout& layout, std::string_view root,
                 std::uint64_t expected_posts, const Context& context, MemoryBudget& budget, TempSpace& temp);

  // Whether a document of so many tokens still fits: places are numbered with what the blots leave of 64 bits.
  bool has_room(std::uint64_t tokens) const;
  // In order, from one thread at a time. Returns the place of its first block, which its posts are to be raised by.
  std::uint64_t add(std::string id, blot::TextPlace place, DocumentDigest& digest);
  // Posts of documents that were added. They wait for a call of shuffle(), at the latest that of finish(). Thread-safe.
  void add(PlacedPosts posts);
  // Takes what waits to the shuffle. For each worker one call at a time.
  void shuffle(unsigned worker);
  std::uint64_t documents() const { return documents_.documents(); }

  // When no more is added; shuffle() may still be under way. Writes what is left to write; all of it is safe on disk then, but for the folder's own entry.
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
  std::vector<std::optional<Posts::Writer>> writers_;  // a worker's each

  std::mutex mutex_;
  std::condition_variable idle_;
  std::deque<PlacedPosts> waiting_;
  unsigned shuffling_ = 0;  // workers inside shuffle()
};

}  // namespace refrain::verbs::index
