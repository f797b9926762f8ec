#include "engines/ngram/resolver.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "refrain/error.h"

namespace refrain::ngram {

namespace {

std::atomic_ref<std::uint64_t> shared(std::uint64_t& value) {
  return std::atomic_ref<std::uint64_t>(value);
}

// The most tokens of a stretch, and how many places ahead slots, and then texts, are prefetched.
constexpr std::size_t kMaxTokens = text::TokenBlock::kMaxEdges / 2;  // in a stretch
constexpr std::size_t kSlotAhead = 48;
constexpr std::size_t kTextAhead = 24;

}  // namespace

Resolver::Resolver(const Candidates& candidates, std::uint64_t first, std::uint64_t last, std::uint64_t text_bytes,
                   unsigned workers, MemoryBudget& budget)
    : candidates_(candidates),
      first_(first),
      at_hand_(budget.reserve(working_bytes(workers), "the places at hand")),
      slots_(budget, "repeated n-grams", last - first),
      arena_(budget, "the texts of repeated n-grams", text_bytes),
      piece_bytes_(std::clamp<std::uint64_t>(text_bytes / workers / 16, 1024, std::uint64_t{64} << 10)) {
  slots_.use_huge_pages();
  arena_.use_huge_pages();
  for (unsigned i = 0; i < workers; ++i) workers_.emplace_back(budget);
}

std::uint64_t Resolver::working_bytes(unsigned workers) {
  return workers * kMaxTokens * (sizeof(std::uint64_t) + sizeof(Found));
}

void Resolver::preset(std::uint64_t key, std::string_view text) {
  slots_[0] = {keep_separately(workers_[0], text), key};
}

void Resolver::seek(unsigned worker, std::uint64_t position) {
  candidates_.seek(workers_[worker].cursor, position);
}

void Resolver::visit(unsigned worker, const TextStream& texts, std::uint64_t position) {
  Worker& mine = workers_[worker];
  const auto count = static_cast<std::size_t>(texts.last() - texts.first());
  if (count == 0) return;
  // Places come segment by segment; the array puts them into text order.
  mine.groups.assign(count, 0);
  const std::uint64_t begin = position + texts.first();
  const std::uint64_t groups = slots_.size();
  candidates_.visit(mine.cursor, position + texts.last(), [&](std::uint64_t at, std::uint64_t group) {
    if (group - first_ < groups) mine.groups[static_cast<std::size_t>(at - begin)] = group - first_ + 1;
  });
  if (mine.found.size() < count) mine.found.resize(count);
  std::size_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // Write every entry and advance only if it is used, because a branch could not be predicted.
    mine.found[size] = {texts.first() + i, mine.groups[i] - 1};
    size += mine.groups[i] != 0 ? 1 : 0;
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (i + kSlotAhead < size) __builtin_prefetch(&slots_[mine.found[i + kSlotAhead].group], 1);
    if (i + kTextAhead < size) {
      const std::uint64_t text = shared(slots_[mine.found[i + kTextAhead].group].text).load(std::memory_order_relaxed);
      __builtin_prefetch(arena_.data() + (text & ((std::uint64_t{1} << kPlaceBits) - 1)));
    }
    meet(mine, texts, position, mine.found[i]);
  }
}

void Resolver::meet(Worker& worker, const TextStream& texts, std::uint64_t position, const Found& found) {
  Slot& slot = slots_[found.group];
  std::uint64_t known = shared(slot.text).load(std::memory_order_acquire);
  if (known == 0) {
    const std::uint64_t kept = keep(worker, texts, position, found.token);
    if (shared(slot.text).compare_exchange_strong(known, kept, std::memory_order_acq_rel)) {
      slot.key = texts.key(found.token);
      return;
    }
  }
  const std::string_view text = texts.text(found.token);
  if (text_of(known) == text) return;
  shared(slot.text).fetch_or(kHasStrays, std::memory_order_relaxed);
  try {
    worker.strays.push_back(
        {first_ + found.group, texts.key(found.token), keep_separately(worker, text), position + found.token});
  } catch (const Error& error) {
    if (error.code() == Errc::over_budget) throw TooManyTexts{};
    throw;
  }
}

// Appends the text to the worker's part of the arena, continuing the last text there if the two overlap.
std::uint64_t Resolver::keep(Worker& worker, const TextStream& texts, std::uint64_t position, std::uint64_t token) {
  const std::string_view text = texts.text(token);
  if (text.size() >= kLengthMask) return keep_separately(worker, text);
  const std::uint64_t end = token + texts.n();
  const bool continues_last =
      worker.kept_document == position && worker.kept_first <= token && token < worker.kept_last;
  if (continues_last && end > worker.kept_last) {
    const std::string_view more = texts.text(worker.kept_last, end);
    if (worker.next + 1 + more.size() <= worker.end) {
      arena_[worker.next++] = ' ';
      std::memcpy(arena_.data() + worker.next, more.data(), more.size());
      worker.next += more.size();
      worker.kept_last = end;
      return (worker.next - text.size()) | text.size() << kPlaceBits;
    }
  }
  make_room(worker, text.size());
  const std::uint64_t begin = worker.next;
  std::memcpy(arena_.data() + begin, text.data(), text.size());
  worker.next += text.size();
  worker.kept_document = position;
  worker.kept_first = token;
  worker.kept_last = end;
  return begin | text.size() << kPlaceBits;
}

std::uint64_t Resolver::keep_separately(Worker& worker, std::string_view text) {
  const std::uint64_t size = text.size();
  make_room(worker, size + sizeof size);
  worker.kept_last = 0;
  std::memcpy(arena_.data() + worker.next, &size, sizeof size);
  const std::uint64_t begin = worker.next + sizeof size;
  std::memcpy(arena_.data() + begin, text.data(), size);
  worker.next = begin + size;
  return begin | std::min(size, kLengthMask) << kPlaceBits;
}

void Resolver::make_room(Worker& worker, std::uint64_t bytes) {
  if (worker.end - worker.next >= bytes) return;
  const std::uint64_t piece = std::max(bytes, piece_bytes_);
  worker.next = used_.fetch_add(piece, std::memory_order_relaxed);
  worker.end = worker.next + piece;
  if (worker.end > arena_.size() || worker.end >> kPlaceBits != 0) {
    worker.next = worker.end = 0;
    throw TooManyTexts{};
  }
}

std::string_view Resolver::text_of(std::uint64_t packed) const {
  const char* begin = arena_.data() + (packed & ((std::uint64_t{1} << kPlaceBits) - 1));
  std::uint64_t size = packed >> kPlaceBits & kLengthMask;
  if (size == kLengthMask) std::memcpy(&size, begin - sizeof size, sizeof size);
  return {begin, size};
}

Resolver::Gram Resolver::gram(std::uint64_t group) const {
  const Slot& slot = slots_[group - first_];
  return {slot.key, text_of(slot.text), (slot.text & kHasStrays) != 0};
}

std::vector<Resolver::Stray> Resolver::strays() const {
  std::vector<Stray> all;
  for (const Worker& worker : workers_)
    for (const PackedStray& stray : worker.strays)
      all.push_back({stray.group, stray.key, text_of(stray.text), stray.position});
  std::sort(all.begin(), all.end(), [](const Stray& a, const Stray& b) {
    return std::tie(a.group, a.key, a.text, a.position) < std::tie(b.group, b.key, b.text, b.position);
  });
  return all;
}

}  // namespace refrain::ngram
