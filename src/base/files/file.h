// Checked file I/O: every system call that fails becomes an Error that names the file and the reason.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace refrain {

// Repeats a system call that a signal has interrupted (EINTR).
template <class Call>
auto retry_on_eintr(Call call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

// The meaning of an errno, in words. (strerror is not thread-safe.)
std::string system_reason(int error);

// Throws an Error with the message "path: cannot CALL: reason": Error(not_found) if there is no such file, Error(io)
// if the system fails. A file that is temporarily out of reach is never taken for one that does not exist.
[[noreturn]] void throw_read_error(const std::string& path, std::string_view call, int error);
// Throws Error(over_budget) for a full disk, and Error(io) for any other failure.
[[noreturn]] void throw_write_error(const std::string& path, int error);

// A file, or standard input if the path is "-", read from its beginning to its end. Movable; closes itself. Errors
// are thrown as by throw_read_error().
class InputFile {
 public:
  InputFile() = default;
  // Once `stop` is set, reading from a pipe or a terminal that has no data throws Error(interrupted).
  explicit InputFile(const std::string& path, std::stop_token stop = {});
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  ~InputFile();

  // Fills `buffer` from the file, with fewer bytes only at its end. Returns the number of bytes.
  std::size_t read(char* buffer, std::size_t size);
  // Reads the bytes that are available now: at least one byte, waiting for it if necessary, and 0 only at the end.
  // For pipes whose writer waits for answers.
  std::size_t read_some(char* buffer, std::size_t size);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }  // 0 if it is not a regular file

 private:
  void wait();

  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  bool may_wait_ = false;  // a pipe, a terminal, a socket
  std::stop_token stop_;
};

// A buffered writer to a file that is created or replaced, or to standard output if the path is "-".
//
// Throws Error(over_budget) for a full disk, and Error(io) for any other failure. Nothing is guaranteed to be written
// before close() has returned.
class OutputFile {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

  explicit OutputFile(const std::string& path);
  // Creates a file, which stays locked as long as it is open. Returns nullopt if the name is taken. `mode` is as for
  // open(2), so the umask applies.
  static std::optional<OutputFile> create_new(const std::string& path, unsigned mode = 0666);
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  void write(std::string_view bytes);
  // Writes immediately, at the given offset. Many threads may call this at the same time, but not together with
  // write(); bytes() does not count these bytes.
  void write_at(std::uint64_t place, std::string_view bytes) const;
  void write_decimal(std::uint64_t value);
  void flush();
  // Flushes, syncs to the disk (except for standard output), and closes.
  void close();
  // The same without syncing, for many files that sync_filesystem() syncs all at once.
  void close_unsynced();

  std::uint64_t bytes() const { return written_ + buffer_.size(); }

 private:
  OutputFile(std::string path, int fd);
  void put(std::string_view bytes);

  std::string path_;
  int fd_ = -1;
  std::string buffer_;
  std::uint64_t written_ = 0;
  // The system lets only one thread at a time write to a file, and waiting threads spin; waiting on a mutex is
  // cheaper.
  std::unique_ptr<std::mutex> placing_ = std::make_unique<std::mutex>();
};

// A file that appears under its name complete or not at all: it is written aside, in the same folder, synced, and
// renamed by commit(). Without commit() it is removed. A file that is replaced keeps its permissions, and a link
// stays a link: its target is replaced. "-" is standard output, which is written to directly, like any path that is
// not a regular file (a device, a pipe).
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  OutputFile& out() { return *out_; }
  void commit();

 private:
  std::string path_;
  std::string aside_;  // empty if nothing is renamed
  std::optional<OutputFile> out_;
  bool committed_ = false;
};

// Holds the lock of an existing file. Throws Error(busy) if another process or object holds it, not_found if there is
// no such file, io if the file system does not support locks.
class FileLock {
 public:
  explicit FileLock(const std::string& path);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();

 private:
  int fd_ = -1;
};

// A file that many threads can read at any offset.
//
// If the file cannot be opened or read, throws Error(not_found) or Error(io), as InputFile does. Only for regular
// files: for a pipe or a device, throws Error(unsupported) without waiting for it.
class RandomFile {
 public:
  explicit RandomFile(const std::filesystem::path& path);
  RandomFile(const RandomFile&) = delete;
  RandomFile& operator=(const RandomFile&) = delete;
  ~RandomFile();

  // Fills `to`. Throws Error(corrupt) if the file ends before that.
  void read(std::uint64_t offset, std::span<char> to) const;
  // Fills `to`, with fewer bytes only at the end of the file. Returns the number of bytes.
  std::size_t read_up_to(std::uint64_t offset, std::span<char> to) const;

  std::uint64_t size() const { return size_; }  // when the file was opened
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

// Reads the whole of a small file.
std::string read_file(const std::filesystem::path& path);
// Reads `size` bytes of a file from `begin`, or fewer if the file ends before that.
std::string read_file_part(const std::filesystem::path& path, std::uint64_t begin, std::uint64_t size);

// A file that only grows, and can report when everything appended to it is on the disk.
//
// Errors are thrown as by throw_write_error(). Not thread-safe.
class AppendFile {
 public:
  // Creates the file. Throws Error(busy) if the name is taken.
  explicit AppendFile(std::string path);
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  void append(std::string_view bytes);
  // Returns once everything appended is on the disk. If sync() fails, the state of everything appended since the last
  // successful sync() is unknown.
  void sync();
  // Truncates the file to `bytes`. Returns false if that fails.
  bool cut(std::uint64_t bytes) noexcept;

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  int fd_ = -1;
  std::uint64_t bytes_ = 0;
};

}  // namespace refrain
