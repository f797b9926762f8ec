// The files inside a tar or ZIP archive, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/budget.h"

namespace refrain::corpus {

// Throws what ByteStream throws, and Error(bad_input) where the archive is damaged. Not thread-safe.
class Archive {
 public:
  Archive() = default;
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  virtual ~Archive() = default;

  // Goes on to the next regular file, whose name is that of the archive: it may be anything. False at the end.
  virtual bool next(std::string& name) = 0;
  // All of that file, in parts; at most once.
  virtual void read(const std::function<void(std::string_view)>& part) = 0;
  // Links, devices and the like that were passed over so far; no folders.
  virtual std::uint64_t skipped() const = 0;
};

// Called now and then while bytes are read; may throw.
using Pause = std::function<void()>;

// Whether the name is that of an archive: .tar, also packed; .tgz, .tbz2, .txz; .zip.
bool is_archive_name(std::string_view path);

// Null where it is none by its content.
std::unique_ptr<Archive> open_archive(const std::string& path, MemoryBudget& budget, Pause pause);

// Of each kind, where `path` is one.
std::unique_ptr<Archive> open_tar(const std::string& path, MemoryBudget& budget, Pause pause);
std::unique_ptr<Archive> open_zip(const std::string& path, MemoryBudget& budget, Pause pause);

}  // namespace refrain::corpus
