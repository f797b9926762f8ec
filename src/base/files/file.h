// Checked file I/O: every call that the system refuses becomes an Error that names the file and says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace refrain {

// What an errno means, in words. (strerror is not for threads.)
std::string system_reason(int error);

// "path: cannot CALL: reason". Error(not_found) where there is no such file, Error(io) where the system fails: a file that
// is out of reach now is never taken for one that is not there.
[[noreturn]] void refuse_read(const std::string& path, std::string_view call, int error);
// A full disk is Error(over_budget), any other refusal Error(io).
[[noreturn]] void refuse_write(const std::string& path, int error);

// A file, or standard input where the path is "-", read from its beginning to its end. Movable; closes itself. Throws as
// refuse_read does.
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
  // A file that was not there before, locked as long as it is open. Nothing where the name is taken.
  static std::optional<OutputFile> create_new(const std::string& path);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  // At once, at a place of the file. Many threads may, not beside write(), and bytes() knows nothing of it.
  void write_at(std::uint64_t place, std::string_view bytes) const;
  void write_decimal(std::uint64_t value);
  void flush();
  // Flushes, syncs to the disk (not standard output), closes.
  void close();
  // The same without syncing, for many files that sync_filesystem() makes safe all at once.
  void close_unsynced();

  std::uint64_t bytes() const { return written_ + buffer_.size(); }

 private:
  OutputFile(std::string path, int fd);
  void put(std::string_view bytes);

  std::string path_;
  int fd_ = -1;
  std::string buffer_;
  std::uint64_t written_ = 0;
  // The system lets one thread at a time write to a file, and who waits there spins: better to sleep here.
  std::unique_ptr<std::mutex> placing_ = std::make_unique<std::mutex>();
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
// no such file, io where the file system gives no locks.
class FileLock {
 public:
  explicit FileLock(const std::string& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  int fd_ = -1;
};

}  // namespace refrain
