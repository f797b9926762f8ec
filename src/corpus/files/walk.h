// From the paths of the command line to the files to read, in input order.
//
// Folders are listed when their turn comes, so a tree of millions of files costs the memory of the folders on the way
// down to the current file, not of all of them.
//
// Links in a folder are followed to what lies outside of every folder that is read anyway, and read once, whatever links
// to it; so links that lead in a circle end. In the cache of the Hugging Face hub the files lie in "blobs" under names
// that say nothing, and "snapshots" links to them: there the links are read, and "blobs" is not.
//
// tar and ZIP archives are gone through like folders: each file in them is copied to a temporary one when its turn comes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp_space.h"
#include "corpus/files/archive.h"
#include "corpus/files/format.h"
#include "corpus/files/options.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// One file to read; or, where `failure` is set, a folder that could not be listed, or a file known to be unreadable.
struct Input {
  std::string path;               // as given, plus the path below it
  Format format = Format::files;  // never automatic
  bool named = false;             // on the command line, rather than found in a folder
  std::uint64_t size = 0;         // 0 where it is not a regular file
  std::string failure;
  std::size_t operand = 0;  // which of the paths named it, or a folder above it
  std::string source = {};  // where its content is, if not at `path`:
  std::shared_ptr<const TempFile> copy =
      {};                   // the copy of a file in an archive; or the archive, for what is damaged in it
  std::string damage = {};  // why it cannot be read: of an archive
  char delimiter = ',';     // of a table
};

// The path to open: its own, unless there is a copy of it: of standard input, of a file in an archive.
inline std::string source_of(const Input& input, const SourceOptions& options) {
  if (!input.source.empty()) return input.source;
  return input.path == "-" && !options.standard_input.empty() ? options.standard_input : input.path;
}

// Throws for what is wrong with the paths themselves: there are none and no documents either, "-" comes twice, one does not exist or may not be
// read. Opens regular files and folders to find out, but never a pipe, whose writer would notice.
void check_named(const SourceOptions& options);

// The bytes of all the files, or 0 where one of them is no regular file. Goes through all folders.
std::uint64_t total_bytes(const SourceOptions& options, const Context& context, MemoryBudget& budget);

// Not thread-safe.
class Walk {
 public:
  // Keeps references to all. Goes into archives where there is a `context`, which says where their files may be copied to;
  // without it an archive is a file like any other.
  Walk(const SourceOptions& options, MemoryBudget& budget, const Context* context = nullptr);
  Walk(SourceOptions&& options, MemoryBudget& budget, const Context* context = nullptr) = delete;

  // The next file. False at the end.
  bool next(Input& input);

  std::uint64_t hidden_skipped() const { return hidden_skipped_; }
  std::uint64_t special_skipped() const { return special_skipped_; }

 private:
  struct Entry {
    std::uint64_t name;  // where its name begins in names_
    bool folder;
    bool link;
  };
  // A file or folder, by whatever name.
  using Identity = std::pair<std::uint64_t, std::uint64_t>;
  // A folder that is being gone through. Its entries and their names are the last ones of entries_ and names_, before
  // those of the folder below it.
  struct Level {
    std::size_t entries_begin;
    std::size_t names_begin;
    std::size_t next;
    std::size_t path_size;  // of path_ up to the slash behind this folder
  };

  bool find_next(Input& input);
  bool enter(bool named, Input& input);
  bool list(std::string& failure);
  void leave_notes_out();
  bool open_archive_at(const std::string& path);
  bool next_in_archive(Input& input);
  bool follow();
  bool is_seen() const;
  void remember(const std::string& path);
  std::string writable_name(std::string_view name);
  void leave();
  std::size_t operand() const { return next_named_ - 1; }

  const SourceOptions& options_;
  MemoryBudget& budget_;
  const Context* const context_;
  std::shared_ptr<TempSpace> temp_;  // shared with the copies, which may outlive this
  std::size_t next_named_ = 0;
  std::string path_;
  std::vector<Level> levels_;
  Array<Entry> entries_;
  Array<char> names_;
  // Real paths of the folders that are read with all that is in them, and of those that are only linked to.
  std::vector<std::string> roots_;
  std::vector<std::string> stores_;
  std::set<Identity> seen_;  // the inputs that were named, the folders of roots_, and files that were linked to
  bool followed_folder_ = false;
  std::unique_ptr<Archive> archive_;  // that is being gone through,
  std::string archive_path_;
  std::map<std::string, std::uint64_t, std::less<>> archived_;  // the names met in it: how often; 0 for folders
  Reservation archived_bytes_;
  bool any_in_archive_ = false;
  std::uint64_t hidden_skipped_ = 0;
  std::uint64_t special_skipped_ = 0;
};

}  // namespace refrain::corpus
