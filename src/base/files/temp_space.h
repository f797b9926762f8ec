// Temporary disk: files that nobody else sees and that are gone when their owner is, however the process ends.
//
// Each file loses its name as soon as it is made, so there is nothing to clean up, not even after kill -9: the system
// takes the space back when the file is closed. A TempSpace stands for one run: it knows where temporary files go, says
// before a long stage whether they will fit, and counts the bytes that they hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "refrain/context.h"

namespace refrain {

// Thread-safe.
class TempSpace {
 public:
  // In context.temp_dir, or where the system keeps such files ($TMPDIR, /tmp) if that is empty.
  explicit TempSpace(const Context& context);
  TempSpace(const TempSpace&) = delete;
  TempSpace& operator=(const TempSpace&) = delete;

  // Throws Error(over_budget), with both figures, where the disk has not `bytes` to spare: call it before a long stage.
  // `what` names what will be written: "the samples".
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

// One such file. Appending and reading are thread-safe; a reader sees what append() has returned for.
class TempFile {
 public:
  explicit TempFile(TempSpace& space);
  TempFile(TempFile&& other) noexcept;
  TempFile& operator=(TempFile&& other) noexcept;
  ~TempFile();

  // Writes at the end and returns where that was. A full disk is Error(over_budget).
  std::uint64_t append(std::string_view bytes);
  // Fills `buffer` from `offset`. Error(io) where that much is not there.
  void read(std::uint64_t offset, std::span<char> buffer) const;
  // Gives the space of a range that is no longer needed back to the disk, as far as the file system can.
  void discard(std::uint64_t offset, std::uint64_t size);

  std::uint64_t size() const { return size_.load(std::memory_order_relaxed); }
  // A path by which this process, and as long as this lives, can open the file for reading.
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  TempSpace* space_;
  int fd_ = -1;
  std::atomic<std::uint64_t> size_{0};
  std::atomic<std::uint64_t> held_{0};  // less what was discarded
};

}  // namespace refrain
