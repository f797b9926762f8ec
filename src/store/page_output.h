// Writes whole pages to a file: adds their checksums, and computes the digest of all. If requested, this happens on a
// separate thread, so that the thread that fills the pages does not wait for the disk.
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
// The digest of some pages, extended by one more page.
std::uint64_t add_to_digest(std::uint64_t digest, std::uint64_t page_sum);

// Not thread-safe. Throws what OutputFile throws; the error may come from pages that were put earlier.
class PageOutput {
 public:
  // More pages than OutputFile would buffer.
  static constexpr std::size_t kPagesAtOnce = OutputFile::kBufferBytes / 4096 + 1;

  PageOutput(const std::string& path, bool own_thread);
  PageOutput(const PageOutput&) = delete;
  PageOutput& operator=(const PageOutput&) = delete;
  ~PageOutput();

  // Takes the first `bytes` of `pages`, and leaves in `pages` a buffer of the same size, with arbitrary contents, for
  // the next pages.
  void put(std::vector<char>& pages, std::size_t bytes);
  // The digest of all pages so far.
  std::uint64_t digest();
  // Writes the remaining pages, syncs and closes.
  void close();

 private:
  void write(char* pages, std::size_t bytes);
  void run();
  // Waits until everything is written. Throws the error of the thread, if any.
  void wait_for_all(std::unique_lock<std::mutex>& lock);

  OutputFile file_;
  std::uint64_t pages_ = 0;
  std::uint64_t digest_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<char> waiting_;      // pages for the thread;
  std::size_t waiting_bytes_ = 0;  // only this many bytes of them
  bool busy_ = false;
  bool ended_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // the last member, because it uses all the others
};

}  // namespace refrain::store
