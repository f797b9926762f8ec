// Reads the files inside a tar or ZIP archive, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace refrain::corpus {

// Functions throw what ByteStream throws, and Error(bad_input) if the archive is damaged. Not thread-safe.
class Archive {
 public:
  Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  virtual ~Archive() = default;

  enum class Kind { file, link, special };  // a regular file; a symbolic or hard link; a device, pipe or socket

  // Advances to the next member that is not a folder. `name` is copied from the archive and may be anything. False at
  // the end.
  virtual bool next(std::string& name) = 0;
  // The kind of the current member. Only files can be read.
  virtual Kind kind() const { return Kind::file; }
  // Reads the whole current file, in parts; may be called at most once per file. Returns why the file could not be
  // read, or an empty string. Either way, the archive can be read further.
  virtual std::string read(const std::function<void(std::string_view)>& part) = 0;
};

// Called from time to time while bytes are read. May throw.
using Pause = std::function<void()>;

// Whether `path` has an extension of archives: .tar, also compressed; .tgz, .tbz, .tbz2, .txz; .zip.
bool is_archive_name(std::string_view path);

// Null if the content of the file is not an archive.
std::unique_ptr<Archive> open_archive(const std::string& path, MemoryBudget& budget, Pause pause);

// The same for one kind of archive; null if `path` is not of that kind.
std::unique_ptr<Archive> open_tar(const std::string& path, MemoryBudget& budget, Pause pause);
std::unique_ptr<Archive> open_zip(const std::string& path, MemoryBudget& budget, Pause pause);

// Turns the names of files in an archive into names that can be written to a folder.
//
// Remembers the assigned names by their hashes. Two names with the same hash are treated as equal, and the second
// file then gets a number that it would not need. Not thread-safe.
class ArchiveNames {
 public:
  explicit ArchiveNames(MemoryBudget& budget) : reservation_(budget.reserve(0, kWhat)) {}

  // Forgets all names, before another archive is read.
  void clear();

  // Why `name` cannot be written: it is longer or more deeply nested than a file system allows. Empty if it can be
  // written.
  static std::string fault(std::string_view name);

  // Returns the name for a file that the archive calls `name`, which must have no empty parts. Parts that are too
  // long are shortened, a name that was assigned before gets a number, and a folder with the name of a file gets
  // another name.
  std::string give(std::string_view name);

  // Shortens a long name to the maximum size by keeping its beginning and its end.
  static std::string shortened(std::string_view name);

 private:
  struct NameUse {
    bool folder = false;
    std::uint32_t files = 0;  // how many files asked for this name
  };
  NameUse& at(std::string_view name);

  static constexpr std::string_view kWhat = "the names in an archive";

  std::map<std::uint64_t, NameUse> uses_;
  Reservation reservation_;
};

}  // namespace refrain::corpus
