#include "verbs/run/columns/text_store.h"

#include <algorithm>
#include <cstring>

namespace refrain::verbs::run {

namespace {
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
}  // namespace

TextStore::TextStore(MemoryBudget& budget, TempSpace& temp, std::uint64_t memory_bytes)
    : temp_(temp), memory_bytes_(memory_bytes), bytes_(budget, "the text"), ends_(budget, "the ends of documents") {}

std::optional<std::uint64_t> TextStore::reserve(std::size_t size) {
  if (file_ || size_ + size > memory_bytes_) return std::nullopt;
  std::unique_lock lock(mutex_);
  if (bytes_.needs_to_grow(size)) filled_.wait(lock, [&] { return filling_ == 0; });
  bytes_.append_unset(size);
  ++open_rooms_;
  size_ += size;
  return size_ - size;
}

void TextStore::fill(std::uint64_t begin, std::string_view bytes) {
  {
    const std::lock_guard lock(mutex_);
    ++filling_;
  }
  if (!bytes.empty()) std::memcpy(bytes_.data() + begin, bytes.data(), bytes.size());
  const std::lock_guard lock(mutex_);
  --filling_;
  --open_rooms_;
  filled_.notify_all();
}

void TextStore::append(std::string_view bytes) {
  size_ += bytes.size();
  if (!file_ && size_ > memory_bytes_ && all_filled()) file_.emplace(temp_);
  if (file_ && bytes_.size() + bytes.size() >= kFlushBytes) flush();
  if (file_ && bytes.size() >= kFlushBytes)
    file_->append(bytes);
  else
    append_held(bytes);
}

// Until all rooms are filled, the text stays in memory and goes to the file later. No new rooms are made from here
// on.
bool TextStore::all_filled() {
  const std::lock_guard lock(mutex_);
  return open_rooms_ == 0;
}

void TextStore::append_held(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  if (bytes_.needs_to_grow(bytes.size())) filled_.wait(lock, [&] { return filling_ == 0; });
  bytes_.append(std::span<const char>(bytes));
}

void TextStore::flush() {
  file_->append({bytes_.data(), bytes_.size()});
  bytes_.clear();
  bytes_.resize(0);
}

void TextStore::finish() {
  if (file_)
    flush();
  else
    bytes_.resize(bytes_.size() + kPadding);
}

void TextStore::forget_text() {
  bytes_.resize(0);
  file_.reset();
}

std::size_t TextStore::document_at(std::uint64_t position) const {
  // The byte after a document's end is its separator, if there is one.
  const std::uint64_t* after = separator_ != 0 ? std::lower_bound(ends_.begin(), ends_.end(), position)
                                               : std::upper_bound(ends_.begin(), ends_.end(), position);
  return static_cast<std::size_t>(after - ends_.begin());
}

std::string_view TextStore::text(std::size_t document, std::string& scratch) const {
  const ByteRange range = this->document(document);
  const auto size = static_cast<std::size_t>(range.end - range.begin);
  if (!file_) return {bytes_.data() + range.begin, size};
  scratch.resize(size);
  file_->read(range.begin, scratch);
  return scratch;
}

const char* TextStore::read(std::uint64_t begin, std::size_t size, std::vector<char>& scratch) const {
  if (!file_) return bytes_.data() + begin;
  scratch.resize(size + kPadding);
  file_->read(begin, {scratch.data(), size});
  return scratch.data();
}

}  // namespace refrain::verbs::run
