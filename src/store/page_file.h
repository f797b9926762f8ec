// Page files: what is written once, read at any place, and never trusted.
//
// A file is a row of pages of 4096 bytes. Each holds 4088 bytes of content and the checksum of that, into which the
// page's number goes, so that no page passes for another. The contents of all pages but the last, end to end, are the
// *stream*, filled up with zeros; whoever writes sees only the stream. The last page is the *tail*: the length of the
// stream, a digest of all pages before it, and what the writer has to say at the end.
//
// Nothing is buffered but some pages, so a file of any size takes the same memory; a damaged page is found when it is read,
// so opening costs two pages whatever the size.
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
#include "base/files/random_file.h"
#include "store/page_output.h"
#include "store/varint.h"

namespace refrain::store {

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kPageContentBytes = kPageBytes - sizeof(std::uint64_t);
inline constexpr std::size_t kMagicBytes = 8;
inline constexpr std::size_t kMaxTailBytes = kPageContentBytes - 2 * sizeof(std::uint64_t);

// What tells one page file from another: its length, and a digest of its pages (the tail aside).
struct PageFileId {
  std::uint64_t bytes = 0;
  std::uint64_t digest = 0;
  friend bool operator==(const PageFileId&, const PageFileId&) = default;
};

// Not thread-safe.
class PageWriter {
 public:
  // The stream begins with `magic` (kMagicBytes of it) and the version.
  // `own_thread`: for checksums and the disk.
  PageWriter(const std::string& path, std::string_view magic, std::uint32_t version, bool own_thread = false);

  void write(std::string_view bytes) {
    const std::size_t end = used_ + bytes.size();
    if (bytes.size() >= kPageContentBytes || end >= kPageContentBytes) return write_split(bytes);
    if (!bytes.empty()) std::memcpy(page() + used_, bytes.data(), bytes.size());
    used_ = end;
  }
  // Where the next byte will stand in the stream.
  std::uint64_t position() const { return ended_ * kPageContentBytes + used_; }

  // Writes the tail, at most kMaxTailBytes of it, syncs and closes.
  PageFileId finish(std::string_view tail);

 private:
  void write_split(std::string_view bytes);
  void end_page();
  void put();
  char* page() { return pages_.data() + held_ * kPageBytes; }

  std::unique_ptr<PageOutput> out_;
  std::vector<char> pages_;
  std::size_t held_ = 0;     // of them, whole
  std::size_t used_ = 0;     // of the next one; below kPageContentBytes between calls
  std::uint64_t ended_ = 0;  // pages so far
};

// A page file that is read. Every byte that it hands out was copied from a page whose checksum was found right. What is
// wrong with the file is Error(corrupt), also where it was cut off after it was opened; a version that this build does
// not know is Error(unsupported); a disk that fails is Error(io).
//
// Read, not mapped: a mapped file that loses its end, or its disk, takes the whole process with it.
// Not thread-safe; threads have one each.
class PageReader {
 public:
  // Checks the first page and the tail.
  PageReader(const std::string& path, std::string_view magic, std::uint32_t version);
  // Another reader of the same file, for another thread, also where the file has lost its name meanwhile. The first one
  // may be in use.
  explicit PageReader(const PageReader& other);
  PageReader& operator=(const PageReader&) = delete;

  // Where the stream's own content begins: behind magic and version.
  static constexpr std::uint64_t kBegin = kMagicBytes + sizeof(std::uint32_t);
  // The length of the stream.
  std::uint64_t size() const { return size_; }
  PageFileId id() const { return {bytes_, digest_}; }
  // By this reader, of the file.
  std::uint64_t bytes_read() const { return fetched_ * kPageBytes; }
  // Pages that were read and found right stay in memory: about this share of those of the file, at least one, and one at
  // first. Forgets those that it has.
  void hold_pages(double share);
  // What finish() was given, followed by zeros.
  std::string_view tail() const { return {tail_.data(), tail_.size()}; }

  // The stream from `offset` to the end of the page that it falls into, at least one byte. Valid until the next call.
  std::string_view rest_of_page(std::uint64_t offset);
  // `size` bytes from `offset`, in `scratch`.
  std::string_view read(std::uint64_t offset, std::uint64_t size, std::string& scratch);

  // Reads every page and compares the digest. `pages_done` is called with the bytes of some pages at a time.
  template <class Done>
  void check_all(Done pages_done) {
    std::uint64_t digest = 0;
    for (std::uint64_t page = 0; page < pages_; ++page) {
      digest = check_next(page, digest);
      if (page % 256 == 255 || page + 1 == pages_) pages_done((page % 256 + 1) * kPageBytes);
    }
    if (digest != digest_) corrupt("pages differ from the footer");
  }

  // "path: what; build it again"
  [[noreturn]] void corrupt(std::string_view what) const;
  [[noreturn]] void unsupported(std::string_view what) const;

 private:
  std::string_view checked_page(std::uint64_t page);
  std::uint64_t check_next(std::uint64_t page, std::uint64_t digest);
  bool fetch(std::uint64_t page);
  // A page has one place, which others share.
  std::size_t place_of(std::uint64_t page) const { return static_cast<std::size_t>(page % checked_.size()); }
  char* held(std::uint64_t page) { return held_.get() + place_of(page) * kPageBytes; }

  std::string path_;
  std::shared_ptr<const RandomFile> file_;
  std::uint64_t bytes_ = 0;
  std::uint64_t pages_ = 0;  // without the tail
  std::uint64_t size_ = 0;
  std::uint64_t digest_ = 0;
  std::array<char, kMaxTailBytes> tail_{};
  std::uint64_t fetched_ = 0;
  std::vector<std::uint64_t> checked_;  // by place: the page there that was found right
  std::unique_ptr<char[]> held_;
};

// Reads a stream from one place on, a value at a time.
class PageCursor {
 public:
  // Reading past `end` (a place in the stream) is an error of the file.
  PageCursor(PageReader& reader, std::uint64_t begin, std::uint64_t end);

  std::uint64_t varint();
  std::uint64_t position() const { return page_end_ - static_cast<std::uint64_t>(end_ - at_); }
  bool at_end() const { return position() == limit_; }

 private:
  void turn_page();

  PageReader* reader_;
  std::uint64_t limit_;
  std::uint64_t page_end_;        // of what lies in [at_, end_), in the stream
  std::unique_ptr<char[]> page_;  // its own, so that several cursors may go through one reader
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace refrain::store
