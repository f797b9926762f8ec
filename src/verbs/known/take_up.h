// Makes segments from files of texts (text_records.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/files/temp.h"
#include "engines/library/folder.h"
#include "refrain/context.h"
#include "verbs/known/judgement.h"

namespace refrain::verbs::known {

// Returns the source of a document that a server adds: the host of its id or, if there is none, "texts".
std::string source_of(std::string_view id);

// Adds the documents of one file of texts to a segment. Not thread-safe.
class TextsSegment {
 public:
  // `name` is the name of the file.
  TextsSegment(library::SegmentWriter& out, const std::string& name);

  // Adds documents in order. `place` holds the offsets in the file; file and source are filled in here. `left_out`
  // is the template of the source, or null if there is none.
  void add(library::NewDocument document, const std::string& source, const SourceTemplate* left_out);

 private:
  library::SegmentWriter& out_;
  std::uint32_t file_;
  std::map<std::string, std::uint32_t> sources_;  // ordered: clients choose the names and could make hashes collide
};

struct CommittedTexts {
  std::uint64_t files = 0;
  std::uint64_t documents = 0;
  std::uint64_t cut_off_bytes = 0;  // bytes that were being written when a server was killed or lost power
};

// Makes the documents that a server added, but had not made part of a segment when it was killed, part of one, in
// one commit. Must be called before any change of a library. Throws Error(corrupt) if a file of texts is damaged.
CommittedTexts commit_waiting_texts(library::LibraryWriter& writing, const std::filesystem::path& library,
                                    const Context& context, MemoryBudget& budget, TempSpace& temp);

}  // namespace refrain::verbs::known
