#include "store/page_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "refrain/error.h"

namespace refrain::store {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored little-endian, as they lie in memory");

constexpr std::uint64_t kNoPage = std::numeric_limits<std::uint64_t>::max();

template <class Number>
Number load(const char* at) {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

}  // namespace

PageWriter::PageWriter(const std::string& path, std::string_view magic, std::uint32_t version, bool own_thread)
    : out_(std::make_unique<PageOutput>(path, own_thread)), pages_(PageOutput::kPagesAtOnce * kPageBytes) {
  write(magic);
  write({reinterpret_cast<const char*>(&version), sizeof version});
}

void PageWriter::write_split(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(bytes.size(), kPageContentBytes - used_);
    std::memcpy(page() + used_, bytes.data(), size);
    used_ += size;
    bytes.remove_prefix(size);
    if (used_ == kPageContentBytes) end_page();
  }
}

void PageWriter::end_page() {
  std::memset(page() + used_, 0, kPageContentBytes - used_);
  used_ = 0;
  ++pages_written_;
  if (++held_ * kPageBytes == pages_.size()) put();
}

void PageWriter::put() {
  if (held_ != 0) out_->put(pages_, held_ * kPageBytes);
  held_ = 0;
}

PageFileId PageWriter::finish(std::string_view tail) {
  const std::uint64_t size = position();
  if (used_ > 0) end_page();
  put();
  const std::uint64_t digest = out_->digest();
  write({reinterpret_cast<const char*>(&size), sizeof size});
  write({reinterpret_cast<const char*>(&digest), sizeof digest});
  write(tail.substr(0, kMaxTailBytes));
  if (used_ > 0) end_page();
  put();
  out_->close();
  return {pages_written_ * kPageBytes, digest};
}

PageReader::PageReader(const std::string& path, std::string_view magic, std::uint32_t version)
    : path_(path), page_in_slot_(1, kNoPage), held_(std::make_unique<char[]>(kPageBytes)) {
  try {
    file_ = std::make_shared<RandomFile>(path);
  } catch (const Error& error) {
    if (error.code() == Errc::io) throw;
    throw Error(Errc::corrupt, fmt::format("{}; rebuild it", error.what()));
  }
  bytes_ = file_->size();
  if (bytes_ < 2 * kPageBytes) corrupt("file too short");
  // The first page has the same form in all versions, so that damage can be told from a newer format.
  const bool whole = fetch(0);
  if (std::string_view(held(0), kMagicBytes) != magic) corrupt("wrong file type, or damaged");
  const auto found = load<std::uint32_t>(held(0) + kMagicBytes);
  if (!whole) corrupt("page 0: checksum mismatch");
  if (found != version) unsupported(fmt::format("format version {}, but this build reads {}", found, version));
  if (bytes_ % kPageBytes != 0) corrupt("ends in an incomplete page");
  pages_ = bytes_ / kPageBytes - 1;
  if (!fetch(pages_)) corrupt("footer missing or damaged");
  const char* tail = held(pages_);
  size_ = load<std::uint64_t>(tail);
  digest_ = load<std::uint64_t>(tail + sizeof size_);
  std::memcpy(tail_.data(), tail + sizeof size_ + sizeof digest_, tail_.size());
  // The stream must fill exactly this number of pages.
  if (size_ < kBegin || size_ > pages_ * kPageContentBytes || size_ <= (pages_ - 1) * kPageContentBytes)
    corrupt("length differs from the footer");
}

PageReader::PageReader(const PageReader& other)
    : path_(other.path_),
      file_(other.file_),
      bytes_(other.bytes_),
      pages_(other.pages_),
      size_(other.size_),
      digest_(other.digest_),
      tail_(other.tail_),
      page_in_slot_(1, kNoPage),
      held_(std::make_unique<char[]>(kPageBytes)) {}

void PageReader::hold_pages(double share) {
  const auto most = static_cast<std::uint64_t>(share * static_cast<double>(pages_));
  const auto places = static_cast<std::size_t>(std::clamp<std::uint64_t>(most, 1, pages_));
  held_ = std::make_unique_for_overwrite<char[]>(places * kPageBytes);  // takes memory only as it is filled
  page_in_slot_.assign(places, kNoPage);
}

void PageReader::corrupt(std::string_view what) const {
  throw Error(Errc::corrupt, fmt::format("{}: {}; rebuild it", path_, what));
}

void PageReader::unsupported(std::string_view what) const {
  throw Error(Errc::unsupported, fmt::format("{}: {}; rebuild it", path_, what));
}

// Reads a page into its slot. Returns whether its checksum is correct.
bool PageReader::fetch(std::uint64_t page) {
  page_in_slot_[slot_of(page)] = kNoPage;
  ++fetched_;
  char* const bytes = held(page);
  if (file_->read_up_to(page * kPageBytes, {bytes, kPageBytes}) < kPageBytes) corrupt("truncated");
  return page_checksum({bytes, kPageContentBytes}, page) == load<std::uint64_t>(bytes + kPageContentBytes);
}

std::string_view PageReader::checked_page(std::uint64_t page) {
  if (page_in_slot_[slot_of(page)] != page) {
    if (!fetch(page)) corrupt(fmt::format("page {}: checksum mismatch", page));
    page_in_slot_[slot_of(page)] = page;
  }
  return {held(page), kPageContentBytes};
}

std::uint64_t PageReader::check_next(std::uint64_t page, std::uint64_t digest) {
  page_in_slot_[slot_of(page)] = kNoPage;
  checked_page(page);
  return add_to_digest(digest, load<std::uint64_t>(held(page) + kPageContentBytes));
}

std::string_view PageReader::rest_of_page(std::uint64_t offset) {
  if (offset >= size_) corrupt("offset past the end");
  const std::uint64_t page = offset / kPageContentBytes;
  const std::uint64_t begin = offset % kPageContentBytes;
  const std::uint64_t end = std::min<std::uint64_t>(kPageContentBytes, size_ - page * kPageContentBytes);
  return checked_page(page).substr(begin, end - begin);
}

std::string_view PageReader::read(std::uint64_t offset, std::uint64_t size, std::string& scratch) {
  if (size == 0) return {};
  if (offset > size_ || size > size_ - offset) corrupt("offset past the end");
  scratch.clear();
  while (scratch.size() < size) {
    const std::string_view piece = rest_of_page(offset + scratch.size());
    scratch.append(piece.substr(0, size - scratch.size()));
  }
  return scratch;
}

PageCursor::PageCursor(PageReader& reader, std::uint64_t begin, std::uint64_t end)
    : reader_(&reader), limit_(end), page_end_(begin), page_(std::make_unique<char[]>(kPageContentBytes)) {
  if (begin > end || end > reader.size()) reader.corrupt("offset past the end");
}

void PageCursor::turn_page() {
  if (page_end_ >= limit_) reader_->corrupt("list runs past the end");
  std::string_view rest = reader_->rest_of_page(page_end_);
  rest = rest.substr(0, limit_ - page_end_);
  std::memcpy(page_.get(), rest.data(), rest.size());
  at_ = page_.get();
  end_ = at_ + rest.size();
  page_end_ += rest.size();
}

std::uint64_t PageCursor::varint() {
  std::uint64_t value = 0;
  if (end_ - at_ >= static_cast<std::ptrdiff_t>(kMaxVarintBytes)) {
    if (!get_varint(at_, end_, value)) reader_->corrupt("invalid number");
    return value;
  }
  std::array<char, kMaxVarintBytes> bytes{};
  std::size_t size = 0;
  do {
    if (at_ == end_) turn_page();
    bytes[size++] = *at_++;
  } while ((static_cast<std::uint8_t>(bytes[size - 1]) & 0x80U) != 0 && size < bytes.size());
  const char* from = bytes.data();
  if (!get_varint(from, bytes.data() + size, value)) reader_->corrupt("invalid number");
  return value;
}

}  // namespace refrain::store
