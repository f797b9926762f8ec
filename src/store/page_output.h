// Whole pages on their way to a file: their checksums are put in, and the digest of all is taken. On a thread of its own
// where asked for, so that whoever fills pages does not wait for the disk.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/files/file.h"

namespace refrain::store {

std::uint64_t page_checksum(std::string_view content, std::uint64_t page);
// The digest of pages, with one more.
std::uint64_t add_to_digest(std::uint64_t digest, std::uint64_t page_sum);

// Not thread-safe. Throws what OutputFile throws, of pages that came earlier too.
class PageOutput {
 public:
  // More than OutputFile would keep back.
  static constexpr std::size_t kPagesAtOnce = OutputFile::kBufferBytes / 4096 + 1;

  PageOutput(const std::string& path, bool own_thread);
  PageOutput(const PageOutput&) = delete;
  PageOutput& operator=(const PageOutput&) = delete;
  ~PageOutput();

  // Takes the first `bytes` of `pages`, and leaves room of the same size there, with anything in it, for the next ones.
  void put(std::vector<char>& pages, std::size_t bytes);
  // Of all pages so far.
  std::uint64_t digest();
  // Writes the rest, syncs and closes.
  void close();

 private:
  void write(char* pages, std::size_t bytes);
  void run();
  // Until all is written. Throws what went wrong.
  void wait_for_all(std::unique_lock<std::mutex>& lock);

  OutputFile file_;
  std::uint64_t pages_ = 0;
  std::uint64_t digest_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char> waiting_;      // for the thread,
  std::size_t waiting_bytes_ = 0;  // so much of them
  bool busy_ = false;
  bool ended_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // the last: it uses all the others
};

}  // namespace refrain::store
