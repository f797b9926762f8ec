// ZIP: a directory at the end says where each file begins. Stored and deflated files, also of more than 4 GiB.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/files/random_file.h"
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

class Zip final : public Archive {
 public:
  Zip(const std::string& path, MemoryBudget& budget, Pause pause)
      : file_(path), pause_(std::move(pause)), reservation_(budget.reserve(0, "the directory of a ZIP archive")) {
    find_directory();
  }

  bool next(std::string& name) override {
    constexpr std::size_t kEntry = 46;
    while (at_ < directory_.size()) {
      const std::string_view entry = std::string_view(directory_).substr(at_);
      if (entry.size() < kEntry || !entry.starts_with("PK\x01\x02")) refuse("damaged ZIP archive");
      const std::size_t name_size = little<std::uint16_t>(entry, 28);
      const std::size_t extra_size = little<std::uint16_t>(entry, 30);
      const std::size_t size = kEntry + name_size + extra_size + little<std::uint16_t>(entry, 32);
      if (entry.size() < size) refuse("damaged ZIP archive");
      encrypted_ = (little<std::uint16_t>(entry, 8) & 1U) != 0;
      method_ = little<std::uint16_t>(entry, 10);
      checksum_ = little<std::uint32_t>(entry, 16);
      packed_ = little<std::uint32_t>(entry, 20);
      plain_ = little<std::uint32_t>(entry, 24);
      begin_ = little<std::uint32_t>(entry, 42);
      take_large(entry.substr(kEntry + name_size, extra_size));
      name = entry.substr(kEntry, name_size);
      at_ += size;
      const std::uint32_t unix_mode = little<std::uint32_t>(entry, 38) >> 16U;
      const bool regular = (unix_mode & 0170000U) == 0 || (unix_mode & 0170000U) == 0100000U;
      if (!name.ends_with('/') && regular) return true;
      skipped_ += regular ? 0 : 1;
    }
    return false;
  }

  std::uint64_t skipped() const override { return skipped_; }

  void read(const std::function<void(std::string_view)>& part) override {
    constexpr std::size_t kLocal = 30;
    if (encrypted_) refuse("holds encrypted files; decrypt it first");
    if (method_ != 0 && method_ != 8) refuse(fmt::format("holds files packed by method {}, not deflate", method_));
    std::string local(kLocal, '\0');
    if (begin_ > file_.size() || file_.read_up_to(begin_, local) != kLocal || !local.starts_with("PK\x03\x04"))
      refuse("damaged ZIP archive");
    begin_ += kLocal + little<std::uint16_t>(local, 26) + little<std::uint16_t>(local, 28);
    uLong sum = crc32(0, nullptr, 0);
    std::uint64_t given = 0;
    const auto give = [&](std::string_view bytes) {
      sum = crc32(sum, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
      given += bytes.size();
      if (given > plain_) refuse("damaged ZIP archive: a file is longer than it should be");
      pause_();
      part(bytes);
    };
    if (method_ == 0)
      read_packed([&](std::string_view bytes) { give(bytes); });
    else
      inflate_all(give);
    if (given != plain_ || sum != checksum_) refuse("damaged ZIP archive: a checksum is wrong");
  }

 private:
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
      // The larger kind: 20 bytes before, where its own end is.
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
  }

  // Sizes that do not fit into 32 bits stand in an extra field, in this order.
  void take_large(std::string_view extra) {
    while (extra.size() >= 4) {
      const std::size_t size = little<std::uint16_t>(extra, 2);
      if (size > extra.size() - 4) return;
      std::string_view field = extra.substr(4, size);
      if (little<std::uint16_t>(extra, 0) == 1)
        for (std::uint64_t* value : {&plain_, &packed_, &begin_})
          if (*value == kNoSize && field.size() >= 8) {
            *value = little<std::uint64_t>(field, 0);
            field.remove_prefix(8);
          }
      extra.remove_prefix(4 + size);
    }
  }

  void read_packed(const std::function<void(std::string_view)>& part) {
    std::string chunk(kZipChunk, '\0');
    std::uint64_t at = begin_;
    for (std::uint64_t left = packed_; left > 0;) {
      const std::size_t wanted = std::min<std::uint64_t>(left, chunk.size());
      if (file_.read_up_to(at, {chunk.data(), wanted}) != wanted) refuse("truncated ZIP archive");
      part(std::string_view(chunk).substr(0, wanted));
      at += wanted;
      left -= wanted;
    }
  }

  void inflate_all(const std::function<void(std::string_view)>& give) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    const std::unique_ptr<z_stream, int (*)(z_stream*)> ends(&stream, inflateEnd);
    std::string plain(kZipChunk, '\0');
    bool ended = false;
    read_packed([&](std::string_view packed) {
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
  std::size_t at_ = 0;  // in it
  std::uint64_t skipped_ = 0;
  // Of the file that was gone on to:
  bool encrypted_ = false;
  unsigned method_ = 0;
  std::uint32_t checksum_ = 0;
  std::uint64_t packed_ = 0;
  std::uint64_t plain_ = 0;
  std::uint64_t begin_ = 0;
};

}  // namespace

std::unique_ptr<Archive> open_zip(const std::string& path, MemoryBudget& budget, Pause pause) {
  std::string start(4, '\0');
  RandomFile(path).read_up_to(0, start);
  if (start != "PK\x03\x04" && start != "PK\x05\x06") return nullptr;
  return std::make_unique<Zip>(path, budget, std::move(pause));
}

}  // namespace refrain::corpus
