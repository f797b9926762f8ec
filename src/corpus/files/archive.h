// Reads the files inside a tar or ZIP archive, one after the other.
#pragma once

#include <functional>
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

}  // namespace refrain::corpus
