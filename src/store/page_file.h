// Page files: files that are written once, read at any offset, and never trusted.
//
// A file is a sequence of pages of 4096 bytes. Each holds 4088 bytes of content and the checksum of the content,
// which includes the page's number, so that no page can be mistaken for another. The contents of all pages except the
// last, end to end, are the *stream*, padded with zeros; writers see only the stream. The last page is the *tail*:
// the length of the stream, a digest of all pages before it, and the data that the writer adds at the end.
//
// Only some pages are buffered, so a file of any size takes the same memory. A damaged page is found when it is read,
// so opening a file costs two pages whatever its size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "store/page_output.h"
#include "store/varint.h"

namespace refrain::store {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPageContentBytes = kPageBytes - sizeof(std::uint64_t);
inline constexpr std::size_t kMagicBytes = 8;
inline constexpr std::size_t kMaxTailBytes = kPageContentBytes - 2 * sizeof(std::uint64_t);

// Identifies a page file: its length, and a digest of its pages (except the tail).
struct PageFileId {
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;
  friend bool operator==(const PageFileId&, const PageFileId&) = default;
};

// Not thread-safe.
class PageWriter {
 public:
  // The stream begins with `magic`, which must have kMagicBytes bytes, and the version. With `own_thread`, a thread
  // computes the checksums and writes to the disk.
  PageWriter(const std::string& path, std::string_view magic, std::uint32_t version, bool own_thread = false);

  void write(std::string_view bytes) {
    const std::size_t end = used_ + bytes.size();
    if (bytes.size() >= kPageContentBytes || end >= kPageContentBytes) return write_split(bytes);
    if (!bytes.empty()) std::memcpy(page() + used_, bytes.data(), bytes.size());
    used_ = end;
  }
  // The offset of the next byte in the stream.
  std::uint64_t position() const { return pages_written_ * kPageContentBytes + used_; }

  // Writes the tail, at most kMaxTailBytes of it, then syncs and closes the file.
  PageFileId finish(std::string_view tail);

 private:
  void write_split(std::string_view bytes);
  void end_page();
  void put();
  char* page() { return pages_.data() + held_ * kPageBytes; }

  std::unique_ptr<PageOutput> out_;
  std::vector<char> pages_;
  std::size_t held_ = 0;             // number of complete pages in pages_
  std::size_t used_ = 0;             // bytes of the next page; below kPageContentBytes between calls
  std::uint64_t pages_written_ = 0;  // number of complete pages so far
};

// Reads a page file. Every byte that it returns comes from a page whose checksum was correct. Throws Error(corrupt)
// if the file is damaged, even if it was truncated after it was opened; Error(unsupported) for a version that this
// build does not know; Error(io) if the disk fails.
//
// Files are read, not mapped: if a mapped file is truncated, or its disk fails, the whole process is killed. Not
// thread-safe; use one per thread.
class PageReader {
 public:
  // Checks the first page and the tail.
  PageReader(const std::string& path, std::string_view magic, std::uint32_t version);
  // Another reader of the same open file, for another thread, even if the file no longer has a name. `other` may be
  // in use at the same time.
  explicit PageReader(const PageReader& other);
  PageReader& operator=(const PageReader&) = delete;

  // Where the content proper of the stream begins: after magic and version.
  static constexpr std::uint64_t kBegin = kMagicBytes + sizeof(std::uint32_t);
  // The length of the stream.
  std::uint64_t size() const { return size_; }
  PageFileId id() const { return {bytes_, digest_}; }
  // The bytes that this reader has read from the file.
  std::uint64_t bytes_read() const { return fetched_ * kPageBytes; }
  // Keeps pages that were read and found correct in memory: about this share of the file's pages, at least one. The
  // default is one page. Forgets the pages that it has.
  void hold_pages(double share);
  // The tail given to finish(), followed by zeros.
  std::string_view tail() const { return {tail_.data(), tail_.size()}; }

  // The stream from `offset` to the end of that page, at least one byte. Valid until the next call.
  std::string_view rest_of_page(std::uint64_t offset);
  // The `size` bytes from `offset`, stored in `scratch`.
  std::string_view read(std::uint64_t offset, std::uint64_t size, std::string& scratch);

  // Reads every page and compares the digest. Calls pages_done(bytes) after some pages at a time, with their size.
  template <class Done>
  void check_all(Done pages_done) {
    std::uint64_t digest = 0;
    for (std::uint64_t page = 0; page < pages_; ++page) {
      digest = check_next(page, digest);
      if (page % 256 == 255 || page + 1 == pages_) pages_done((page % 256 + 1) * kPageBytes);
    }
    if (digest != digest_) corrupt("pages differ from the footer");
  }

  // Throws an Error with the message "path: what; rebuild it".
  [[noreturn]] void corrupt(std::string_view what) const;
  [[noreturn]] void unsupported(std::string_view what) const;

 private:
  std::string_view checked_page(std::uint64_t page);
  std::uint64_t check_next(std::uint64_t page, std::uint64_t digest);
  bool fetch(std::uint64_t page);
  // Each page has one slot, which it shares with other pages.
  std::size_t slot_of(std::uint64_t page) const { return static_cast<std::size_t>(page % page_in_slot_.size()); }
  char* held(std::uint64_t page) { return held_.get() + slot_of(page) * kPageBytes; }

  std::string path_;
  std::shared_ptr<const RandomFile> file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t pages_ = 0;  // not counting the tail
  std::uint64_t size_ = 0;
  std::uint64_t digest_ = 0;
  std::array<char, kMaxTailBytes> tail_{};
  std::uint64_t fetched_ = 0;
  std::vector<std::uint64_t> page_in_slot_;  // per slot: the page in it that was found correct
  std::unique_ptr<char[]> held_;
};

// Reads a stream from a given offset on, a value at a time.
class PageCursor {
 public:
  // `end` is an offset in the stream. Reading past it throws Error(corrupt).
  PageCursor(PageReader& reader, std::uint64_t begin, std::uint64_t end);

  std::uint64_t varint();
  std::uint64_t position() const { return page_end_ - static_cast<std::uint64_t>(end_ - at_); }
  bool at_end() const { return position() == limit_; }

 private:
  void turn_page();

  PageReader* reader_;
  std::uint64_t limit_;
  std::uint64_t page_end_;        // offset in the stream of the end of [at_, end_)
  std::unique_ptr<char[]> page_;  // a copy, so that several cursors can use one reader
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace refrain::store
