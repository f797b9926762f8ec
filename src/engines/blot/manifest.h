// The manifest: what an index is made of. It is replaced as a whole, by one rename, which is a commit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "refrain/index.h"
#include "store/page_file.h"
#include "store/segments/manifest_text.h"

namespace refrain::blot {

struct SegmentInfo : store::SegmentHead {
  std::uint64_t tokens = 0;
  std::uint64_t blocks = 0;
  std::uint64_t text_bytes = 0;
  std::uint64_t blots = 0;
  std::uint64_t posts = 0;
  store::PageFileId documents_file;
  std::vector<store::PageFileId> posts_files;
  std::optional<store::PageFileId> texts_file;
  friend bool operator==(const SegmentInfo&, const SegmentInfo&) = default;
};

struct Manifest : store::ManifestHead {
  IndexLayout layout;
  std::uint64_t next_ordinal = 0;  // the id of the next document that has none of its own
  std::vector<SegmentInfo> segments;
};

std::string to_text(const Manifest& manifest);
// Equal identities mean equal contents.
std::string identity_of(const Manifest& manifest);
// Throws Error(corrupt) or, for a version that this build does not know, Error(unsupported). `path` is for the
// message.
Manifest parse_manifest(const std::string& text, const std::string& path);

// Throws Error(not_found) if the folder is not an index, Error(corrupt) if it is an index without a manifest.
Manifest read_manifest(const std::filesystem::path& folder);
extern const store::SegmentKind kIndexKind;

}  // namespace refrain::blot
