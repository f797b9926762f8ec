// From files of texts (text_records.h) to segments.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/budget.h"
#include "base/files/temp_space.h"
#include "engines/library/folder.h"
#include "refrain/context.h"
#include "verbs/known/templates.h"

namespace refrain::verbs::known {

// The source of a document that a server adds: the host of its id, else "texts".
std::string source_of(std::string_view id);

// Hands the documents of one file of texts to a segment. Not thread-safe.
class TextsSegment {
 public:
  // `name` is that of the file.
  TextsSegment(library::SegmentWriter& out, const std::string& name);

  // In order. `place` is that in the file; the rest of what the document refers to is seen to. `left_out` is the template
  // of its source; null: there is none.
  void add(library::NewDocument document, const std::string& source, const SourceTemplate* left_out);

 private:
  library::SegmentWriter& out_;
  std::uint32_t file_;
  std::unordered_map<std::string, std::uint32_t> sources_;
};

struct TakenUp {
  std::uint64_t files = 0;
  std::uint64_t documents = 0;
  std::uint64_t cut_off_bytes = 0;  // of records that were cut off, because a server was killed while it wrote them
};

// What a server added, and was killed before it could make it part of a segment, becomes part of one, in one commit.
// Everyone who is about to change a library does this first. Error(corrupt) where a file of texts is damaged.
TakenUp take_up(library::Writing& writing, const std::filesystem::path& library, const Context& context,
                MemoryBudget& budget, TempSpace& temp);

}  // namespace refrain::verbs::known
