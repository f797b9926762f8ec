#include "verbs/run/columns/text_store.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string_view>

#include "verbs/run/tsv.h"

namespace refrain::verbs::run {

namespace {
constexpr std::size_t kFlushBytes = std::size_t{1} << 20;
constexpr std::uint64_t kMostHeldBytes = std::uint64_t{16} << 20;  // per waiting batch, in memory
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

void WaitingTexts::hold(const TextBatch& texts, MemoryBudget& budget, TempSpace& temp) {
  text_.clear();
  ends_.clear();
  room_.reset();
  if (texts.size() == 0) return;
  const std::int64_t begin = texts.offsets.front();
  for (const std::int64_t offset : texts.offsets.subspan(1))
    ends_.push_back(static_cast<std::uint64_t>(offset - begin));
  const std::string_view bytes(texts.text + begin, static_cast<std::size_t>(ends_.back()));
  if (bytes.size() > std::min(kMostHeldBytes, budget.available() / 32))
    aside_.emplace(temp).append(bytes);
  else
    text_.append(std::span<const char>(bytes));
}

void WaitingTexts::append_to(TextStore& store) {
  if (!aside_) room_ = store.reserve(text_.size());
  if (room_) {
    for (const std::uint64_t end : ends_) store.end_document(*room_ + end);
    return;
  }
  constexpr std::uint64_t kChunk = std::uint64_t{1} << 20U;
  std::vector<char> chunk;
  std::uint64_t at = 0;
  for (const std::uint64_t end : ends_) {
    while (at < end) {
      const auto size = static_cast<std::size_t>(aside_ ? std::min(kChunk, end - at) : end - at);
      if (aside_) {
        chunk.resize(size);
        aside_->read(at, chunk);
      }
      store.append({aside_ ? chunk.data() : text_.data() + at, size});
      at += size;
    }
    store.end_document();
  }
}

void WaitingTexts::fill(TextStore& store) const {
  if (room_) store.fill(*room_, {text_.data(), text_.size()});
}

void IdStore::add(const corpus::BatchIds& ids, DocId first) {
  if (ids.ordinals && !segments_.empty() && segments_.back().ordinals) return;
  segments_.push_back({first, ids.ordinals, bytes_.size(), ends_.size()});
  if (ids.ordinals) return;
  bytes_.append(std::span<const char>(ids.bytes));
  for (const std::uint64_t end : ids.ends) ends_.push_back(static_cast<std::uint32_t>(end));
}

std::string IdStore::id(DocId document) const {
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), document,
                                      [](DocId value, const Segment& segment) { return value < segment.first; });
  const Segment& segment = *(after - 1);
  if (segment.ordinals) return std::to_string(document);
  const std::size_t i = document - segment.first;
  const std::uint32_t begin = i == 0 ? 0 : ends_[segment.base + i - 1];
  return {bytes_.data() + segment.begin + begin, ends_[segment.base + i] - begin};
}

void IdStore::append_escaped_id(std::string& out, DocId document) const {
  append_escaped(out, id(document));
}

}  // namespace refrain::verbs::run
