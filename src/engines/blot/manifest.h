// The manifest: what an index is made of. It is replaced as a whole, by one rename, which is a commit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "refrain/index.h"
#include "store/page_file.h"
#include "store/segments/folder.h"

namespace refrain::blot {

struct SegmentInfo {
  std::uint64_t number = 0;
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t blocks = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t blots = 0;
  std::uint64_t posts = 0;
  store::PageFileId documents_file;
  std::vector<store::PageFileId> posts_files;
  std::optional<store::PageFileId> texts_file;
  // Set if documents of the segment have been removed.
  std::uint64_t removed = 0;
  std::uint64_t removed_generation = 0;
  store::PageFileId removed_file;

  friend bool operator==(const SegmentInfo&, const SegmentInfo&) = default;
};

struct Manifest {
  // 32 random hexadecimal digits, drawn when the index is created, so that no two indexes share them. Empty in
  // indexes of manifest version 1; the next commit sets it.
  std::string id;
  IndexLayout layout;
  std::uint64_t generation = 0;
  std::uint64_t next_segment = 1;
  std::uint64_t next_ordinal = 0;  // the id of the next document that has none of its own
  std::vector<SegmentInfo> segments;
};

std::string to_text(const Manifest& manifest);
// Identifies a state of an index among all states of all indexes: equal identities mean equal contents.
std::string identity_of(const Manifest& manifest);
// Throws Error(corrupt) or, for a version that this build does not know, Error(unsupported). `path` is for the
// message.
Manifest parse_manifest(const std::string& text, const std::string& path);

// Throws Error(not_found) if the folder is not an index, Error(corrupt) if it is an index without a manifest.
Manifest read_manifest(const std::filesystem::path& folder);
std::filesystem::path segment_folder(const std::filesystem::path& folder, const SegmentInfo& segment);
std::filesystem::path removed_path(const std::filesystem::path& folder, const SegmentInfo& segment);

// The removed documents of a segment, one bit each; empty if none are removed.
std::vector<bool> read_removed(const std::filesystem::path& folder, const SegmentInfo& segment);
// Writes the list of removed documents and updates `segment`. Uses the first free generation, from `generation` on.
void write_removed(const std::filesystem::path& folder, const std::vector<bool>& removed, std::uint64_t generation,
                   SegmentInfo& segment);

store::NamedSegments named_in(const Manifest& manifest);
extern const store::SegmentKind kIndexKind;

}  // namespace refrain::blot
