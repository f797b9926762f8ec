// Turns the paths of the command line into the files to read, in input order.
//
// A folder that is not in the input's listing is listed when it is reached, so a tree of millions of files needs memory
// only for the folders on the path to the current file, not for all of them.
//
// Links in a folder are followed if their target lies outside of every folder that is read anyway. A target is read
// once, however many links lead to it, so circular links end. In the cache of the Hugging Face hub the files are in
// "blobs" under meaningless names, and "snapshots" links to them: there the links are read, and "blobs" is not.
//
// tar and ZIP archives are traversed like folders: each file in them is copied to a temporary file when it is reached.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "corpus/files/archive.h"
#include "corpus/files/format.h"
#include "corpus/files/listing.h"
#include "corpus/files/options.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// One file to read. If `failure` is set: a folder that could not be listed, or a file known to be unreadable.
struct Input {
  std::string path = {};                // as given by the user, followed by the path below it
  const InputFormat* format = nullptr;  // never null in the result of Walk::next()
  bool named = false;                   // named by the user, rather than found in a folder
  std::uint64_t size = 0;               // 0 if it is not a regular file
  std::string failure = {};
  std::size_t operand = 0;                    // index of the path that named it, or a folder above it
  std::string source = {};                    // where its content is, if not at `path`
  std::shared_ptr<const TempFile> copy = {};  // of a file in an archive; `source` is its path
  std::string damage = {};  // why it is a bad record: a damaged archive, or file in one; it is never copied
  char delimiter = 0;       // of the columns of a table
};

// The path to open: its own, or that of the copy of standard input or of a file in an archive.
inline std::string source_of(const Input& input, const SourceOptions& options) {
  if (!input.source.empty()) return input.source;
  return input.path == "-" && !options.standard_input.empty() ? options.standard_input : input.path;
}

// Throws if the paths themselves are wrong: there are none and no documents either, "-" occurs twice, or a path does
// not exist or may not be read. Opens regular files and folders to find out, but never a pipe, because its writer
// would notice.
void check_named(const SourceOptions& options);

// The total size of all files in bytes, or 0 if a named input is neither a regular file nor a folder. Traverses all
// folders.
std::uint64_t total_bytes(const SourceOptions& options, const Context& context, MemoryBudget& budget);

// The field of a ReadReport that counts a group of skipped files; null for files that no field counts.
using SkipTotal = std::uint64_t ReadReport::*;
using OnSkipped = std::function<void(SkipTotal total, SkippedFile file)>;

// Not thread-safe.
class Walk {
 public:
  // Keeps references to all arguments. With a `context`, which says where to write temporary files, archives are
  // traversed; without one an archive is a file like any other. Calls `on_skipped`, if set, for every entry of a
  // folder or archive that is skipped, in no particular order.
  Walk(const SourceOptions& options, MemoryBudget& budget, const Context* context = nullptr,
       OnSkipped on_skipped = nullptr);
  Walk(SourceOptions&& options, MemoryBudget& budget, const Context* context = nullptr,
       OnSkipped on_skipped = nullptr) = delete;

  // Finds the next file. False at the end.
  bool next(Input& input);

 private:
  // Device and inode: identifies a file or folder under any name.
  using Identity = std::pair<std::uint64_t, std::uint64_t>;
  // A folder that is being traversed.
  struct Level {
    const Listing* listing = nullptr;
    Listing::Folder folder = {};
    std::size_t next = 0;         // the entry
    std::size_t path_size = 0;    // of path_, up to and including the slash after this folder
    bool saved_dataset = false;   // by Hugging Face,
    bool cached_dataset = false;  // or fetched
  };

  bool find_next(Input& input);
  bool use_copy(Input& input) const;
  bool enter(std::optional<Listing::Folder> folder, bool named, Input& input);
  void recognize_dataset(Level& level);
  bool skips(const Level& level, Listing::Kind kind, std::string_view name) const;
  void skip(SkipTotal total, std::string path, std::string_view kind, std::string_view reason) const;
  void skip_member(std::string_view name, bool hidden, bool outside) const;
  bool open_archive_at(const std::string& path, std::uint64_t size);
  bool next_in_archive(Input& input);
  std::string follow(bool& folder);
  bool is_seen() const;
  void remember(const std::string& path);
  std::string writable_name(std::string_view name);
  void leave();
  std::size_t operand() const { return next_named_ - 1; }

  const SourceOptions& options_;
  MemoryBudget& budget_;
  const Context* const context_;
  const OnSkipped on_skipped_;
  std::shared_ptr<TempSpace> temp_;  // shared with the copies, which may outlive this object
  std::size_t next_named_ = 0;
  std::string path_;
  std::vector<Level> levels_;
  Listing listed_;  // the folders of levels_ that are not in the input's listing
  // Real paths of the folders that are read completely, and of those that are read only through links.
  std::vector<std::string> roots_;
  std::vector<std::string> blob_folders_;
  std::set<Identity> seen_;  // the named inputs, the linked folders, and the files that links lead to
  bool followed_folder_ = false;
  std::unique_ptr<Archive> archive_;  // the archive that is being traversed
  std::string archive_path_;
  ArchiveNames archived_;
  bool any_in_archive_ = false;
};

}  // namespace refrain::corpus
