// tar: blocks of 512 bytes, with a header before each file. Longer names are in entries of their own before the file,
// in the GNU or the POSIX format.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "corpus/files/archive.h"
#include "corpus/files/decompress.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr std::uint64_t kMostName = std::uint64_t{1} << 20;  // of an entry that holds names, in bytes
using Header = std::array<char, kBlock>;

std::string_view tar_field(const Header& header, std::size_t at, std::size_t size) {
  const std::string_view field(header.data() + at, size);
  return field.substr(0, std::min(field.find('\0'), size));
}

// Parses a number in octal or, if the first bit is set, a big-endian binary number.
std::optional<std::uint64_t> tar_number(const Header& header, std::size_t at, std::size_t size) {
  if ((static_cast<unsigned char>(header[at]) & 0x80U) != 0) {
    std::uint64_t value = static_cast<unsigned char>(header[at]) & 0x7fU;
    for (std::size_t i = 1; i < size; ++i) {
      if (value >> 55U != 0) return std::nullopt;
      value = value << 8U | static_cast<unsigned char>(header[at + i]);
    }
    return value;
  }
  std::string_view digits = tar_field(header, at, size);
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  if (digits.empty()) return 0;
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

bool checksum_fits(const Header& header) {
  constexpr std::size_t kSumAt = 148;
  constexpr std::size_t kSumSize = 8;
  std::uint64_t sum = kSumSize * ' ';
  for (std::size_t i = 0; i < kBlock; ++i)
    if (i < kSumAt || i >= kSumAt + kSumSize) sum += static_cast<unsigned char>(header[i]);
  return tar_number(header, kSumAt, kSumSize) == sum;
}

// The values of a POSIX extended header, which describes the next file. Its records are "LENGTH KEY=VALUE\n".
struct PaxHeader {
  std::string path;
  std::optional<std::uint64_t> size;
  bool sparse = false;
};

PaxHeader read_pax(std::string_view records) {
  PaxHeader header;
  while (!records.empty()) {
    std::size_t size = 0;
    const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), size);
    const auto digits = static_cast<std::size_t>(end - records.data());
    if (error != std::errc() || size <= digits + 1 || size > records.size()) break;
    const std::string_view record = records.substr(digits + 1, size - digits - 2);
    if (record.starts_with("path=")) header.path = record.substr(5);
    if (record.starts_with("GNU.sparse.")) header.sparse = true;
    std::uint64_t bytes = 0;
    if (record.starts_with("size=") &&
        std::from_chars(record.data() + 5, record.data() + record.size(), bytes).ec == std::errc())
      header.size = bytes;
    records.remove_prefix(size);
  }
  return header;
}

class Tar final : public Archive {
 public:
  Tar(const std::string& path, MemoryBudget& budget, Pause pause)
      : path_(path), pause_(std::move(pause)), bytes_(budget) {
    bytes_.open(path);
  }

  // Whether the first block is a header, or the file contains only zeros, which is an archive without files.
  bool begins() {
    began_ = read_header();
    return began_ || all_zeros_;
  }

  bool next(std::string& name) override {
    std::string long_name;
    PaxHeader pax;
    fault_.clear();
    while (true) {
      skip_rest();
      if (!std::exchange(began_, false) && !read_header()) return false;
      const char type = header_[156];
      const bool links = '1' <= type && type <= '6';  // also folders and devices; the size field is meaningless
      const std::optional<std::uint64_t> size = tar_number(header_, 124, 12);
      if (!size) refuse("damaged tar archive");
      left_ = links ? 0 : *size;
      if (type == 'L' || type == 'x') {
        padding_ = padding_of(left_);
        if (*size > kMostName) {
          fault_ = "a tar header of more than a megabyte";
          continue;
        }
        std::string text;
        read_left([&](std::string_view part) { text += part; });
        if (type == 'L')
          long_name = text.substr(0, text.find('\0'));
        else
          pax = read_pax(text);
        continue;
      }
      const bool regular = type == '0' || type == '\0' || type == '7' || type == 'S';
      if (regular && pax.size) left_ = *pax.size;
      padding_ = padding_of(left_);
      if (type == 'S') skip_sparse_map();
      if (type == 'S' || pax.sparse) fault_ = "a sparse file, which is not supported";
      if (type == 'g' || type == 'K') continue;  // values read before it still apply
      if (type != '5') {
        kind_ = regular ? Kind::file : type == '1' || type == '2' ? Kind::link : Kind::special;
        name = !pax.path.empty() ? pax.path : !long_name.empty() ? long_name : own_name();
        return true;
      }
      long_name.clear();
      pax = {};
      fault_.clear();
    }
  }

  Kind kind() const override { return kind_; }

  std::string read(const std::function<void(std::string_view)>& part) override {
    if (fault_.empty()) read_left(part);
    return fault_;
  }

 private:
  static std::size_t padding_of(std::uint64_t size) { return (kBlock - size % kBlock) % kBlock; }

  // Reads the rest of the file, or of the entry that holds a name.
  void read_left(const std::function<void(std::string_view)>& part) {
    std::string chunk(std::min<std::uint64_t>(kChunk, left_), '\0');
    while (left_ > 0) {
      pause_();
      const std::size_t wanted = std::min<std::uint64_t>(chunk.size(), left_);
      if (bytes_.read(chunk.data(), wanted) != wanted) refuse("truncated tar archive");
      left_ -= wanted;
      part(std::string_view(chunk).substr(0, wanted));
    }
  }

  // Skips the map of a sparse file if it continues after the header.
  void skip_sparse_map() {
    constexpr std::size_t kMoreInHeader = 482;
    constexpr std::size_t kMoreInMap = 504;
    Header map{};
    for (bool more = header_[kMoreInHeader] != 0; more; more = map[kMoreInMap] != 0)
      if (bytes_.read(map.data(), kBlock) != kBlock) refuse("truncated tar archive");
  }

  // Reads the next header; false at the end. Blocks of zeros are skipped, because another archive may follow.
  bool read_header() {
    std::size_t got = kBlock;
    bool zeros = false;
    do {
      got = bytes_.read(header_.data(), kBlock);
      if (got == 0) {
        all_zeros_ = zeros && !any_;
        return false;
      }
      pause_();
      zeros = std::all_of(header_.begin(), header_.begin() + got, [](char c) { return c == '\0'; });
    } while (zeros);
    if (got == kBlock && checksum_fits(header_)) {
      any_ = true;
      return true;
    }
    if (!any_) return false;
    refuse(got < kBlock ? "truncated tar archive" : "damaged tar archive");
  }

  std::string own_name() const {
    const std::string_view name = tar_field(header_, 0, 100);
    const bool posix = std::string_view(header_.data() + 257, 6) == std::string_view("ustar\0", 6);
    const std::string_view prefix = posix ? tar_field(header_, 345, 155) : std::string_view();
    return prefix.empty() ? std::string(name) : fmt::format("{}/{}", prefix, name);
  }

  void skip_rest() {
    read_left([](std::string_view) {});
    std::array<char, kBlock> ignored{};
    if (padding_ > 0 && bytes_.read(ignored.data(), padding_) < padding_) refuse("truncated tar archive");
    padding_ = 0;
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw Error(Errc::bad_input, fmt::format("{}: {}; extract what is left of it, or create it again", path_, what));
  }

  const std::string path_;
  const Pause pause_;
  ByteStream bytes_;
  Header header_{};
  bool any_ = false;        // a header has been read
  bool all_zeros_ = false;  // the file has ended and contains only zeros, at least one block
  bool began_ = false;      // begins() has read a header that next() has not used yet
  std::string fault_;       // why the current file cannot be read
  std::uint64_t left_ = 0;  // bytes of the current file that are still to be read
  std::size_t padding_ = 0;
  Kind kind_ = Kind::file;
};

}  // namespace

std::unique_ptr<Archive> open_tar(const std::string& path, MemoryBudget& budget, Pause pause) {
  auto tar = std::make_unique<Tar>(path, budget, std::move(pause));
  if (!tar->begins()) return nullptr;
  return tar;
}

}  // namespace refrain::corpus
