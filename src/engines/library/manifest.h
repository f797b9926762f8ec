// The manifest says what a library consists of. A commit replaces it as a whole, by one rename.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engines/library/layout.h"
#include "store/page_file.h"
#include "store/segments/manifest_text.h"

namespace refrain::library {

struct SegmentInfo : store::SegmentHead {
  std::string run;  // identity of the run it came from, so that a resumed run adds nothing twice; empty after a merge
  std::uint64_t text_bytes = 0;
  std::uint64_t keys = 0;
  std::uint64_t greatest_rank = 0;       // largest keep-policy rank of its documents
  std::vector<store::PageFileId> files;  // in the order of SegmentFile
  friend bool operator==(const SegmentInfo&, const SegmentInfo&) = default;
};

struct Manifest : store::ManifestHead {
  Layout layout;
  std::vector<SegmentInfo> segments;
  std::vector<std::string> runs;  // identities of runs whose segments were merged or became empty
};

// Returns a string that distinguishes this state of the library from every other state of any library.
std::string identity_of(const Manifest& manifest);

std::string to_text(const Manifest& manifest);
// Throws Error(corrupt), or Error(unsupported) for a version that this build does not know. `path` is for the
// message.
Manifest parse_manifest(const std::string& text, const std::string& path);

// Throws Error(not_found) if there is no library, corrupt if it is damaged, and unsupported for another version.
Manifest read_manifest(const std::filesystem::path& folder);

extern const store::SegmentKind kLibraryKind;

}  // namespace refrain::library
