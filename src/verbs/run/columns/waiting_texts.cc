#include "verbs/run/columns/waiting_texts.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace refrain::verbs::run {

namespace {
constexpr std::uint64_t kMostHeldBytes = std::uint64_t{16} << 20;  // per waiting batch, in memory
}  // namespace

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

}  // namespace refrain::verbs::run
