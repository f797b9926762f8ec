// Turns documents from an input or from memory into new segments of an index, which are not committed yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "engines/blot/manifest.h"
#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/write/segments.h"

namespace refrain::verbs::index {

// About how many posts texts of this total size may have.
std::uint64_t expected_posts(const IndexLayout& layout, std::uint64_t text_bytes);
// The number of bits of a blot for this many posts.
unsigned bits_for(std::uint64_t posts);

class DocumentAdder {
 public:
  // New segments are numbered from manifest.next_segment on. Their folders are made inside `folder`.
  DocumentAdder(std::filesystem::path folder, blot::Manifest& manifest, const Context& context, MemoryBudget& budget,
                TempSpace& temp);

  // Stores texts from standard input and compressed files, which cannot be read again at a given offset. `bytes` is
  // the size of all files, or 0 if it is not known. Ids that are ordinals continue from manifest.next_ordinal.
  ReadReport add(const InputOptions& input, std::uint64_t bytes);
  void add(const std::vector<QueryDocument>& documents);
  // Adds a document that was in an index before. Its text stays where it was: it is stored only if it was stored
  // before.
  void add(const std::string& id, const blot::TextPlace& place, std::string_view text);

  // Ends the last segment and returns all of them, in order.
  std::vector<blot::SegmentInfo> finish();
  std::uint64_t stored() const { return stored_; }

 private:
  struct Done;  // the result of digesting a batch
  void take(Done& done, DocId first);
  // Adds a document to the current segment. Returns the place of its first block.
  std::uint64_t take_document(std::string id, blot::TextPlace place, DocumentDigest& digest);
  void add_one(std::string id, blot::TextPlace place, std::string_view text, bool store);
  // For threads that only add to the shuffle, while another one may end the segment.
  std::shared_ptr<SegmentBuilder> current_builder();
  void set_builder(std::shared_ptr<SegmentBuilder> builder);
  void end_segment();

  const std::filesystem::path folder_;
  blot::Manifest& manifest_;
  const Context& context_;
  MemoryBudget& budget_;
  TempSpace& temp_;
  const std::string root_;
  std::unique_ptr<const text::Tokenizer> tokenizer_;
  std::uint64_t expected_posts_ = 0;
  std::uint64_t number_ = 0;
  std::mutex builder_mutex_;                 // held to set builder_, or to read it without taking documents
  std::shared_ptr<SegmentBuilder> builder_;  // the segment that is being made, or null
  std::vector<blot::SegmentInfo> segments_;
  std::uint64_t raw_begin_ = 0;  // offset of the next batch in its file
  std::uint64_t first_ordinal_ = 0;
  std::uint64_t stored_ = 0;
};

}  // namespace refrain::verbs::index
