// A folder of immutable segments and a manifest that names them: an index, or a library.
//
//   manifest                what it is made of; the only file that is ever replaced, by one rename: that is a commit
//   lock                    empty; whoever writes holds a lock on it
//   SSSSSS/                 a segment, written once
//   SSSSSS-GGGGGG.removed   the documents of segment S that had been removed by generation G
//
// Whatever else lies there is somebody's, and stays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/files/file.h"

namespace refrain::store {

inline constexpr const char* kManifestName = "manifest";
inline constexpr const char* kLockName = "lock";

// What tells the files of a kind of folder from those of strangers: their names and their first bytes.
struct SegmentKind {
  std::string_view removed_magic;
  // Of the file of a segment that has this name; empty: there is none.
  std::string_view (*magic_of)(std::string_view name);
};

std::filesystem::path segment_path(const std::filesystem::path& folder, std::uint64_t segment);
std::filesystem::path removed_path(const std::filesystem::path& folder, std::uint64_t segment,
                                   std::uint64_t generation);

// The number of a new segment, `next` or above, whose folder is nobody's: a stranger may have taken the name.
std::uint64_t take_segment_number(const std::filesystem::path& folder, std::uint64_t& next);
// The generation, `generation` or above, of a new list of removed documents: likewise.
std::uint64_t free_generation(const std::filesystem::path& folder, std::uint64_t segment, std::uint64_t generation);

// The text of the manifest. Error(corrupt) where it is gone or no text, with `missing` where there is a lock but no
// manifest: they come together, in one rename. Nothing where there is neither.
std::optional<std::string> read_manifest_text(const std::filesystem::path& folder, std::string_view missing);
// Commits.
void write_manifest_text(const std::filesystem::path& folder, const std::string& text);

// The names of what a manifest names.
class NamedSegments {
 public:
  void add(std::uint64_t segment) { names_.insert(segment_path({}, segment).string()); }
  void add_removed(std::uint64_t segment, std::uint64_t generation) {
    names_.insert(removed_path({}, segment, generation).string());
  }
  bool contains(const std::string& name) const { return names_.contains(name); }

 private:
  std::set<std::string> names_;
};

// Removes segments and lists of removed documents that are not named: what a writer that was killed left, and what the
// commit before the last one was made of. A file goes only where its name and its first bytes show that it is of this
// kind, and a folder only where it is empty then.
void remove_unnamed(const std::filesystem::path& folder, const SegmentKind& kind, const NamedSegments& named) noexcept;

// A folder in the hands of its one writer.
class LockedFolder {
 public:
  // Error(busy) where somebody else has it. The lock holds nothing, so one that is gone is made again.
  LockedFolder(std::filesystem::path folder, const SegmentKind& kind);
  LockedFolder(const LockedFolder&) = delete;
  LockedFolder& operator=(const LockedFolder&) = delete;
  // What was never committed is cleared up.
  ~LockedFolder();

  // What is there, read under the lock; what it does not name is cleared up.
  void begin(std::string manifest, NamedSegments named);
  // Replaces the manifest. Where that fails halfway, what either of the two names stays.
  void commit(std::string manifest, NamedSegments named);
  // The folder has another name now.
  void moved_to(std::filesystem::path folder) { folder_ = std::move(folder); }

 private:
  bool still_stands() const noexcept;

  std::filesystem::path folder_;
  const SegmentKind kind_;
  std::optional<FileLock> lock_;
  std::string committed_;
  NamedSegments named_;
  bool in_doubt_ = true;  // what is committed is not known for sure: nothing may go
};

}  // namespace refrain::store
