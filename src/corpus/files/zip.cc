// ZIP: a directory at the end of the archive lists where each file begins. Reads stored and deflated files, also of
// more than 4 GiB.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "base/array.h"
#include "base/files/file.h"
#include "corpus/files/archive.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kZipChunk = std::size_t{64} << 10;
constexpr std::uint32_t kNoSize = 0xFFFFFFFF;
constexpr std::uint64_t kMostDirectory = std::uint64_t{1} << 30;

template <class T>
T little(std::string_view bytes, std::size_t at) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;)
    value = static_cast<T>(static_cast<std::uint64_t>(value) << 8U | static_cast<unsigned char>(bytes[at + i]));
  return value;
}

// An entry of the directory, which describes a file.
struct ZipEntry {
  std::string_view name;
  Archive::Kind kind = Archive::Kind::file;
  bool folder = false;
  bool encrypted = false;
  unsigned method = 0;
  std::uint32_t checksum = 0;
  std::uint64_t packed = 0;
  std::uint64_t plain = 0;
  std::uint64_t begin = 0;  // offset of its header in the archive
};

// Reads values that do not fit into 32 bits from an extra field, where they are stored in this order.
void take_large(std::string_view extra, ZipEntry& entry) {
  while (extra.size() >= 4) {
    const std::size_t size = little<std::uint16_t>(extra, 2);
    if (size > extra.size() - 4) return;
    std::string_view field = extra.substr(4, size);
    if (little<std::uint16_t>(extra, 0) == 1)
      for (std::uint64_t* value : {&entry.plain, &entry.packed, &entry.begin})
        if (*value == kNoSize && field.size() >= 8) {
          *value = little<std::uint64_t>(field, 0);
          field.remove_prefix(8);
        }
    extra.remove_prefix(4 + size);
  }
}

// Removes the first entry of `directory` and returns it; nullopt if `directory` does not begin with an entry.
std::optional<ZipEntry> take_entry(std::string_view& directory) {
  constexpr std::size_t kFixed = 46;
  if (directory.size() < kFixed || !directory.starts_with("PK\x01\x02")) return std::nullopt;
  const std::size_t name_size = little<std::uint16_t>(directory, 28);
  const std::size_t extra_size = little<std::uint16_t>(directory, 30);
  const std::size_t size = kFixed + name_size + extra_size + little<std::uint16_t>(directory, 32);
  if (directory.size() < size) return std::nullopt;
  const std::uint32_t unix_kind = little<std::uint32_t>(directory, 38) >> 16U & 0170000U;
  ZipEntry entry{.name = directory.substr(kFixed, name_size),
                 .kind = unix_kind == 0 || unix_kind == 0100000U ? Archive::Kind::file
                         : unix_kind == 0120000U                 ? Archive::Kind::link
                                                                 : Archive::Kind::special,
                 .folder = unix_kind == 0040000U,
                 .encrypted = (little<std::uint16_t>(directory, 8) & 1U) != 0,
                 .method = little<std::uint16_t>(directory, 10),
                 .checksum = little<std::uint32_t>(directory, 16),
                 .packed = little<std::uint32_t>(directory, 20),
                 .plain = little<std::uint32_t>(directory, 24),
                 .begin = little<std::uint32_t>(directory, 42)};
  take_large(directory.substr(kFixed + name_size, extra_size), entry);
  directory.remove_prefix(size);
  return entry;
}

class Zip final : public Archive {
 public:
  Zip(const std::string& path, MemoryBudget& budget, Pause pause)
      : file_(path),
        pause_(std::move(pause)),
        reservation_(budget.reserve(0, "the directory of a ZIP archive")),
        begins_(budget, "the directory of a ZIP archive") {
    find_directory();
    check_disjoint();
  }

  bool next(std::string& name) override {
    while (!left_.empty()) {
      const std::optional<ZipEntry> entry = take_entry(left_);
      if (!entry) refuse("damaged ZIP archive");
      entry_ = *entry;
      name = entry_.name;
      if (!name.ends_with('/') && !entry_.folder) return true;
    }
    return false;
  }

  Kind kind() const override { return entry_.kind; }

  std::string read(const std::function<void(std::string_view)>& part) override {
    try {
      read_entry(part);
      return {};
    } catch (const Error& error) {
      if (error.code() != Errc::bad_input) throw;
      return std::string(error.what()).substr(file_.path().size() + 2);  // after the path and ": "
    }
  }

 private:
  void read_entry(const std::function<void(std::string_view)>& part) {
    constexpr std::size_t kLocal = 30;
    if (entry_.encrypted) refuse("encrypted; decrypt it first");
    if (entry_.method != 0 && entry_.method != 8)
      refuse(fmt::format("packed by method {}, not deflate; extract it first", entry_.method));
    std::string local(kLocal, '\0');
    if (entry_.begin > file_.size() || file_.read_up_to(entry_.begin, local) != kLocal ||
        !local.starts_with("PK\x03\x04"))
      refuse("damaged ZIP archive: a header is missing");
    const std::uint64_t begin =
        entry_.begin + kLocal + little<std::uint16_t>(local, 26) + little<std::uint16_t>(local, 28);
    const std::uint64_t end = end_of_room(entry_.begin);
    if (begin > end || entry_.packed > end - begin) refuse("damaged ZIP archive: a file overlaps the next");
    uLong sum = crc32(0, nullptr, 0);
    std::uint64_t given = 0;
    const auto give = [&](std::string_view bytes) {
      sum = crc32(sum, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
      given += bytes.size();
      if (given > entry_.plain) refuse("damaged ZIP archive: a file is longer than it should be");
      pause_();
      part(bytes);
    };
    if (entry_.method == 0)
      read_packed(begin, [&](std::string_view bytes) { give(bytes); });
    else
      inflate_all(begin, give);
    if (given != entry_.plain || sum != entry_.checksum) refuse("damaged ZIP archive: a checksum is wrong");
  }

  // Requires that files do not share bytes. Otherwise a few bytes could be the content of any number of files, and
  // expand to any number of bytes.
  void check_disjoint() {
    std::uint64_t packed = 0;
    std::string_view directory = directory_;
    while (const std::optional<ZipEntry> entry = take_entry(directory)) {
      begins_.push_back(entry->begin);
      packed += std::min(entry->packed, file_.size());
      if (packed > file_.size()) refuse("damaged ZIP archive: its files overlap");
    }
    std::sort(begins_.begin(), begins_.end());
    if (std::adjacent_find(begins_.begin(), begins_.end()) != begins_.end())
      refuse("damaged ZIP archive: its files overlap");
  }

  // The offset where the next file after the one at `begin`, or the directory, begins.
  std::uint64_t end_of_room(std::uint64_t begin) const {
    const std::uint64_t* const next = std::upper_bound(begins_.begin(), begins_.end(), begin);
    return next == begins_.end() ? directory_begin_ : std::min(*next, directory_begin_);
  }

  void find_directory() {
    constexpr std::size_t kEnd = 22;
    constexpr std::size_t kMostComment = 65535;
    const std::size_t looked_at = std::min<std::uint64_t>(file_.size(), kEnd + kMostComment);
    std::string tail(looked_at, '\0');
    tail.resize(file_.read_up_to(file_.size() - looked_at, tail));
    const std::size_t end = tail.rfind("PK\x05\x06");
    if (end == std::string::npos || tail.size() - end < kEnd) refuse("truncated ZIP archive");
    std::uint64_t size = little<std::uint32_t>(tail, end + 12);
    std::uint64_t begin = little<std::uint32_t>(tail, end + 16);
    if (size == kNoSize || begin == kNoSize || little<std::uint16_t>(tail, end + 10) == 0xFFFF) {
      // ZIP64: a locator in the 20 bytes before gives the offset of the larger end record.
      constexpr std::size_t kLocator = 20;
      constexpr std::size_t kLargeEnd = 56;
      if (end >= kLocator && tail.compare(end - kLocator, 4, "PK\x06\x07") == 0) {
        const auto large = little<std::uint64_t>(tail, end - kLocator + 8);
        std::string record(kLargeEnd, '\0');
        if (large > file_.size() || file_.read_up_to(large, record) != kLargeEnd || !record.starts_with("PK\x06\x06"))
          refuse("damaged ZIP archive");
        size = little<std::uint64_t>(record, 40);
        begin = little<std::uint64_t>(record, 48);
      }
    }
    if (begin > file_.size() || size > file_.size() - begin || size > kMostDirectory) refuse("damaged ZIP archive");
    reservation_.resize(size, "the directory of a ZIP archive");
    directory_.resize(size);
    if (file_.read_up_to(begin, directory_) != size) refuse("truncated ZIP archive");
    directory_begin_ = begin;
    left_ = directory_;
  }

  void read_packed(std::uint64_t at, const std::function<void(std::string_view)>& part) {
    std::string chunk(kZipChunk, '\0');
    for (std::uint64_t left = entry_.packed; left > 0;) {
      const std::size_t wanted = std::min<std::uint64_t>(left, chunk.size());
      if (file_.read_up_to(at, {chunk.data(), wanted}) != wanted) refuse("truncated ZIP archive");
      part(std::string_view(chunk).substr(0, wanted));
      at += wanted;
      left -= wanted;
    }
  }

  void inflate_all(std::uint64_t at, const std::function<void(std::string_view)>& give) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
    std::string plain(kZipChunk, '\0');
    bool ended = false;
    read_packed(at, [&](std::string_view packed) {
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // NOLINT: it is only read
      stream.avail_in = static_cast<uInt>(packed.size());
      while (!ended) {
        stream.next_out = reinterpret_cast<Bytef*>(plain.data());
        stream.avail_out = static_cast<uInt>(plain.size());
        const int status = inflate(&stream, Z_NO_FLUSH);
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) refuse("damaged ZIP archive");
        give(std::string_view(plain).substr(0, plain.size() - stream.avail_out));
        ended = status == Z_STREAM_END;
        if (stream.avail_in == 0 && stream.avail_out > 0) break;
      }
    });
    if (!ended) refuse("damaged ZIP archive");
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw Error(Errc::bad_input, fmt::format("{}: {}", file_.path(), what));
  }

  const RandomFile file_;
  const Pause pause_;
  Reservation reservation_;
  std::string directory_;
  std::uint64_t directory_begin_ = 0;
  std::string_view left_;        // entries of the directory that are still to be read
  Array<std::uint64_t> begins_;  // offsets of all files, sorted
  ZipEntry entry_;               // the current file
};

}  // namespace

std::unique_ptr<Archive> open_zip(const std::string& path, MemoryBudget& budget, Pause pause) {
  std::string start(4, '\0');
  RandomFile(path).read_up_to(0, start);
  if (start != "PK\x03\x04" && start != "PK\x05\x06") return nullptr;
  return std::make_unique<Zip>(path, budget, std::move(pause));
}

}  // namespace refrain::corpus
