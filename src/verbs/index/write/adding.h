// Documents on their way into an index: from an input or from memory to new segments, not committed yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/blot/manifest.h"
#include "refrain/context.h"
#include "refrain/index.h"
#include "verbs/index/write/segment_builder.h"

namespace refrain::verbs::index {

// How many posts texts of so many bytes may have, roughly.
std::uint64_t expected_posts(const IndexLayout& layout, std::uint64_t text_bytes);
// The bits of a blot for so many posts.
unsigned bits_for(std::uint64_t posts);

class Adding {
 public:
  // New segments get their numbers from manifest.next_segment on, and their folders inside `folder`.
  Adding(std::filesystem::path folder, blot::Manifest& manifest, const Context& context, MemoryBudget& budget,
         TempSpace& temp);

  // Standard input and compressed files cannot be read again at a place: their texts are stored. `bytes` of all files, or 0
  // where that is not known. Ids that are ordinals go on from manifest.next_ordinal.
  ReadReport add(const InputOptions& input, std::uint64_t bytes);
  void add(const std::vector<QueryDocument>& documents);
  // A document that was in an index before; its text is stored where it was.
  void add(const std::string& id, const blot::TextPlace& place, std::string_view text);

  // In order.
  std::vector<blot::SegmentInfo> finish();
  std::uint64_t stored() const { return stored_; }

 private:
  struct Done;  // what was made of a batch
  void take(Done& done, DocId first);
  // Returns the place of its first block.
  std::uint64_t take_document(std::string id, blot::TextPlace place, DocumentDigest& digest);
  void add_one(std::string id, blot::TextPlace place, std::string_view text, bool store);
  // For those who only add to the shuffle, while another may end the segment.
  std::shared_ptr<SegmentBuilder> builder_now();
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
  std::mutex builder_mutex_;                 // held by whoever sets builder_, or is not the one that takes documents
  std::shared_ptr<SegmentBuilder> builder_;  // the segment that is being made, if there is one
  std::vector<blot::SegmentInfo> segments_;
  std::uint64_t raw_begin_ = 0;  // of the next batch in its file
  std::uint64_t first_ordinal_ = 0;
  std::uint64_t stored_ = 0;
};

}  // namespace refrain::verbs::index
