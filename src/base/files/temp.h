// Temporary files and folders, and the names of files and folders that are written aside.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "refrain/context.h"

namespace refrain {

// The names of files and folders that are written aside, to be renamed when they are complete:
// "NAME.partial-refrain-PID-N".
//
// Leftovers with such names may be removed by any process, so a name that a person might choose must never look like
// one.

inline constexpr unsigned kMaxAsides = 1000;  // of one process for one name, at the same time

// `number` must be below kMaxAsides.
std::string aside_name(std::string_view name, unsigned number);

// Whether `aside` is a name that some process made for `name`.
bool is_aside_of(std::string_view aside, std::string_view name);

// Whether this is the name of an output that is being staged, ".NAME.partial-refrain-PID-N", which is never part of
// an input.
bool is_staging_name(std::string_view name);

// Temporary disk space: files that are invisible to others, and that disappear with their owner, however the process
// ends.
//
// Each file is created without a name or loses it immediately, so there is nothing to clean up, not even after kill
// -9: the system frees the space when the file is closed. A TempSpace belongs to one run: it knows where temporary
// files go, checks before a long stage whether they will fit, and counts the bytes that they hold.
//
// Thread-safe.
class TempSpace {
 public:
  // Uses context.temp_dir or, if that is empty, the system's folder for temporary files ($TMPDIR, /tmp).
  explicit TempSpace(const Context& context);
  TempSpace(const TempSpace&) = delete;
  TempSpace& operator=(const TempSpace&) = delete;

  // Throws Error(over_budget), with both figures, if fewer than `bytes` are free on the disk. Call it before a long
  // stage. `what` names the data to be written: "the samples".
  void expect(std::uint64_t bytes, std::string_view what) const;

  const std::filesystem::path& folder() const { return folder_; }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  std::uint64_t peak_bytes() const { return peak_.load(std::memory_order_relaxed); }

 private:
  friend class TempFile;
  void grow(std::uint64_t bytes);
  void shrink(std::uint64_t bytes) { bytes_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::filesystem::path folder_;
  std::atomic<std::uint64_t> bytes_{0};
  std::atomic<std::uint64_t> peak_{0};
};

// One temporary file. Appending and reading are thread-safe; a reader sees everything for which append() has
// returned.
class TempFile {
 public:
  explicit TempFile(TempSpace& space);
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile();

  // Writes at the end and returns the offset of the bytes. Throws Error(over_budget) if the disk is full.
  std::uint64_t append(std::string_view bytes);
  // Fills `buffer` from `offset`. Throws Error(io) if the file is too short.
  void read(std::uint64_t offset, std::span<char> buffer) const;
  // Gives the disk space of a range that is no longer needed back, if the file system supports that.
  void discard(std::uint64_t offset, std::uint64_t size);

  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  // A path by which this process can open the file for reading, as long as this object lives.
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  TempSpace* space_;
  int fd_ = -1;
  std::atomic<std::uint64_t> size_{0};
  std::atomic<std::uint64_t> held_{0};  // size_ less the discarded bytes
};

// A folder that exists during one run only.
//
// It is removed with its contents when its owner goes out of scope, which covers every way in which a process can end
// except kill -9 and a power failure. Those leave a folder whose lock nobody holds; the next TempDir with the same
// name in the same parent removes it.
class TempDir {
 public:
  // Creates a folder inside `parent`, which must exist, with a name as aside_name() makes. Throws Error(io) if that
  // fails, or Error(over_budget) if the disk is full.
  TempDir(const std::filesystem::path& parent, const std::string& name);
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  ~TempDir();

  const std::filesystem::path& path() const { return path_; }

  // Makes the folder permanent: renames it to `target`, which must not exist.
  void publish(const std::filesystem::path& target);

 private:
  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace refrain
