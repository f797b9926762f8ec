// The manifest: what a library is made of. Replaced as a whole, by one rename: that is a commit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engines/library/layout.h"
#include "store/page_file.h"
#include "store/segments/folder.h"

namespace refrain::library {

struct SegmentInfo {
  std::uint64_t number = 0;
  std::string
      run;  // the identity of the run that it came from: a run that is resumed adds nothing twice; merged: empty
  std::uint64_t documents = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t keys = 0;
  std::uint64_t greatest_rank = 0;       // of its documents, by the keep policy
  std::vector<store::PageFileId> files;  // as format.h numbers them
  std::uint64_t removed = 0;             // documents of it
  std::uint64_t removed_generation = 0;
  store::PageFileId removed_file;
  friend bool operator==(const SegmentInfo&, const SegmentInfo&) = default;
};

struct Manifest {
  std::string id;  // 32 hexadecimal digits, drawn when the library was made
  Layout layout;
  std::uint64_t generation = 0;
  std::uint64_t next_segment = 1;
  std::vector<SegmentInfo> segments;
  std::vector<std::string> runs;  // identities of runs whose segments were merged, or had nothing left
};

// What tells a state of a library from every other state of any library.
std::string identity_of(const Manifest& manifest);

std::string to_text(const Manifest& manifest);
// Error(corrupt) or, for a version that this build does not know, Error(unsupported); `path` is for the message.
Manifest parse_manifest(const std::string& text, const std::string& path);

// Error(not_found) where there is no library, corrupt where it is damaged, unsupported for another version.
Manifest read_manifest(const std::filesystem::path& folder);

store::NamedSegments named_in(const Manifest& manifest);
extern const store::SegmentKind kLibraryKind;

}  // namespace refrain::library
