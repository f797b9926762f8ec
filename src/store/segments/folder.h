// A folder of immutable segments and a manifest that names them: an index, or a library.
//
//   manifest                names its parts; the only file that is ever replaced, by one rename: that is a commit
//   lock                    empty; the writer holds a lock on it
//   SSSSSS/                 a segment, written once
//   SSSSSS-GGGGGG.removed   the documents of segment S that had been removed by generation G
//
// Any other file belongs to somebody else, and is left alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "store/page_file.h"

namespace refrain::store {

inline constexpr const char* kManifestName = "manifest";
inline constexpr const char* kLockName = "lock";

// A kind of folder. Its files are identified by their names and their first bytes, to tell them from files of others.
struct SegmentKind {
  std::string_view name;   // "index": its manifest begins with "refrain-index"
  std::string_view other;  // the name of the other kind
  std::uint64_t newest;    // the newest version of its manifest that this build reads
  // The ends of error messages: what to do if there is no such folder, a line is invalid, or the version is too new.
  std::string_view if_missing;
  std::string_view if_invalid;
  std::string_view if_newer;
  std::uint32_t format_version;  // of its files
  std::string_view removed_magic;
  // The first bytes of a segment's file with this name; empty if a segment has no file of that name.
  std::string_view (*magic_of)(std::string_view name);
};

// The name of a kind with its article.
std::string a_kind(std::string_view name);

std::filesystem::path segment_path(const std::filesystem::path& folder, std::uint64_t segment);
std::filesystem::path removed_path(const std::filesystem::path& folder, std::uint64_t segment,
                                   std::uint64_t generation);

// Manifests of every kind say this about a segment.
struct SegmentHead {
  std::uint64_t number = 0;
  std::uint64_t documents = 0;
  // Set if documents of the segment have been removed.
  std::uint64_t removed = 0;
  std::uint64_t removed_generation = 0;
  PageFileId removed_file;
  friend bool operator==(const SegmentHead&, const SegmentHead&) = default;
};

// Returns the number of a new segment, `next` or above, whose folder does not exist yet: somebody else may have taken
// the name. Advances `next` past it.
std::uint64_t take_segment_number(const std::filesystem::path& folder, std::uint64_t& next);
// Returns a generation for a new list of removed documents, `generation` or above, in the same way.
std::uint64_t free_generation(const std::filesystem::path& folder, std::uint64_t segment, std::uint64_t generation);

// Reads the text of the manifest. Throws Error(not_found) if there is neither a manifest nor a lock, and Error(corrupt)
// if the manifest is not a regular file, or if there is only a lock: both are created by one rename.
std::string read_manifest_text(const std::filesystem::path& folder, const SegmentKind& kind);
// Replaces the manifest: this is a commit.
void write_manifest_text(const std::filesystem::path& folder, const std::string& text);

// The file names of everything that a manifest names.
class NamedSegments {
 public:
  void add(const SegmentHead& segment) {
    names_.insert(segment_path({}, segment.number).string());
    if (segment.removed > 0) names_.insert(removed_path({}, segment.number, segment.removed_generation).string());
  }
  bool contains(const std::string& name) const { return names_.contains(name); }

 private:
  std::set<std::string> names_;
};

template <class Manifest>
NamedSegments named_in(const Manifest& manifest) {
  NamedSegments named;
  for (const SegmentHead& segment : manifest.segments) named.add(segment);
  return named;
}

// Removes segments and lists of removed documents that `named` does not contain: leftovers of a killed writer, and
// parts of the commit before the last one. A file is removed only if its name and its first bytes show that it is of
// this kind, and a folder only if it is then empty.
void remove_unnamed(const std::filesystem::path& folder, const SegmentKind& kind, const NamedSegments& named) noexcept;

// A folder that is locked by its one writer.
class LockedFolder {
 public:
  // Throws Error(busy) if another writer holds the lock. The lock file is empty, so it is created again if it is
  // missing.
  LockedFolder(std::filesystem::path folder, const SegmentKind& kind);
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;
  // Removes everything that was never committed.
  ~LockedFolder();

  // `named` has the names in the manifest, which was read under the lock. Everything else of this kind is removed.
  // May be called again after a commit, even a failed one.
  void begin(NamedSegments named);
  // Replaces the manifest. If that fails halfway, the files named by either manifest stay. Throws Error(busy) if
  // another process has replaced the manifest in the meantime: it ignored the lock, and its commit must not be
  // undone.
  void commit(std::string manifest, NamedSegments named);
  // To be called after the folder was renamed.
  void set_folder(std::filesystem::path folder) { folder_ = std::move(folder); }

 private:
  bool is_still_committed() const noexcept;

  std::filesystem::path folder_;
  const SegmentKind kind_;
  std::optional<FileLock> lock_;
  std::string committed_;  // the manifest, byte by byte; empty if there is none yet
  NamedSegments named_;
  bool in_doubt_ = true;  // it is not certain what is committed, so nothing may be removed
};

// Stores which documents of a segment were removed, in a file of its own, because a segment never changes.
//
// It is a page file. After magic and version, it has for every removed document its number minus the one before it
// minus 1 (varint; the first number is unchanged). Tail: how many there are (8 bytes).

// Returns one bit per document, set if it was removed; empty if none was. Throws Error(corrupt) if the file is a
// different one or damaged.
std::vector<bool> read_removed(const std::filesystem::path& folder, const SegmentKind& kind,
                               const SegmentHead& segment);
// Writes the list of removed documents and updates `segment`. Uses the first free generation, from `generation` on.
void write_removed(const std::filesystem::path& folder, const SegmentKind& kind, const std::vector<bool>& removed,
                   std::uint64_t generation, SegmentHead& segment);

}  // namespace refrain::store
