// Checked file I/O: every call that the system refuses becomes an Error that names the file and says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace refrain {

// What an errno means, in words. (strerror is not for threads.)
std::string system_reason(int error);

// A file, or standard input where the path is "-". Movable; closes itself. What cannot be opened or read is
// Error(not_found).
class InputFile {
 public:
  InputFile() = default;
  // Once `stop` is set, reading from a pipe or a terminal that has nothing to say ends with Error(interrupted).
  explicit InputFile(const std::string& path, std::stop_token stop = {});
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  // Fills `buffer` from the file, with fewer bytes only at its end. Returns how many.
  std::size_t read(char* buffer, std::size_t size);
  // What is there now: at least one byte (waiting for it), 0 only at the end. For pipes whose writer waits for answers.
  std::size_t read_some(char* buffer, std::size_t size);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // 0 where it is not a regular file

 private:
  void wait();

  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  bool may_wait_ = false;  // a pipe, a terminal, a socket
  std::stop_token stop_;
};

// A buffered writer to a file that is new or replaced, or to standard output where the path is "-".
//
// A full disk is Error(over_budget), any other refusal Error(io). Nothing is promised before close() has returned.
class OutputFile {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

  explicit OutputFile(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  void write_decimal(std::uint64_t value);
  void flush();
  // Flushes, syncs to the disk (not standard output), closes.
  void close();
  // The same without syncing, for many files that sync_filesystem() makes safe all at once.
  void close_unsynced();

  std::uint64_t bytes() const { return written_ + buffer_.size(); }

 private:
  void put(std::string_view bytes);

  std::string path_;
  int fd_ = -1;
  std::string buffer_;
  std::uint64_t written_ = 0;
};

// A file that appears under its name whole or not at all: it is written aside, in the same folder, synced, and renamed
// by commit(). Without commit() it vanishes. A file that is replaced keeps its permissions, and a link stays a link:
// what it leads to is replaced. "-" is standard output; that, and what is no regular file (a device, a pipe), is
// written to as it is.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  OutputFile& out() { return *out_; }
  void commit();

 private:
  std::string path_;
  std::string aside_;  // empty where nothing is renamed
  std::optional<OutputFile> out_;
  bool committed_ = false;
};

// An existing file that nobody else may lock while this lives. Error(busy) where somebody does, not_found where there is
// no such file.
class FileLock {
 public:
  explicit FileLock(const std::string& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  int fd_ = -1;
};

// Makes a rename in `folder` outlast a power cut. Throws as OutputFile does.
void sync_folder(const std::filesystem::path& folder);

// Writes to the disk all that was written to files of the file system that `folder` is on.
void sync_filesystem(const std::filesystem::path& folder);

// Renames, replacing what is there. Error(io) where that fails.
void rename_checked(const std::filesystem::path& from, const std::filesystem::path& to);

// Makes one folder, whose parent exists. Error(over_budget) where the disk is full, Error(io) where it cannot be made.
void make_folder(const std::filesystem::path& folder);

// Makes a folder and those above it, where they are not there. Throws as make_folder does, and Error(invalid_argument)
// where a file is in the way: the output was named wrongly.
void make_folders(const std::filesystem::path& folder);

// The whole of a small file.
std::string read_file(const std::string& path);
// Some of a file, less where it ends before. Error(not_found) where it cannot be opened or read.
std::string read_file_part(const std::string& path, std::uint64_t begin, std::uint64_t size);

}  // namespace refrain
