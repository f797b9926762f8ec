#include "engines/ngram/counting_filter.h"

#include <algorithm>
#include <array>
#include <atomic>

#include "base/threads.h"

namespace refrain::ngram {

namespace {
__extension__ using Wide = unsigned __int128;
// Keys whose counters are fetched at a time.
constexpr std::size_t kBatch = 64;
}  // namespace

CountingFilter::CountingFilter(std::uint64_t bytes, unsigned m, MemoryBudget& budget)
    : limit_(std::min(m, 3U)),
      words_(budget, "a filter of n-grams", std::max<std::size_t>(bytes / sizeof(std::uint32_t), 1)),
      counters_(words_.size() * kPerWord) {
  words_.use_huge_pages();
}

std::uint64_t CountingFilter::place(std::uint64_t key) const {
  // Mixes the key, because keys with equal upper bits must not share a counter.
  const std::uint64_t mixed = (key ^ key >> 32U) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::uint64_t>(static_cast<Wide>(mixed) * counters_ >> 64U);
}

std::uint64_t CountingFilter::add(std::span<const std::uint64_t> keys, std::uint64_t low, std::uint64_t span) {
  std::uint64_t added = 0;
  std::array<std::uint64_t, kBatch> places;
  while (!keys.empty()) {
    std::size_t size = 0;
    for (const std::uint64_t key : keys.first(std::min(keys.size(), kBatch))) {
      if (key - low > span) continue;
      places[size] = place(key);
      __builtin_prefetch(&words_[places[size] / kPerWord], 1);
      ++size;
    }
    for (std::size_t i = 0; i < size; ++i) {
      const std::atomic_ref<std::uint32_t> word(words_[places[i] / kPerWord]);
      const auto shift = static_cast<unsigned>(places[i] % kPerWord * 2);
      std::uint32_t value = word.load(std::memory_order_relaxed);
      while ((value >> shift & 3U) < limit_ &&
             !word.compare_exchange_weak(value, value + (1U << shift), std::memory_order_relaxed)) {
      }
    }
    added += size;
    keys = keys.subspan(std::min(keys.size(), kBatch));
  }
  return added;
}

bool CountingFilter::passes(std::uint64_t key) const {
  const std::uint64_t at = place(key);
  return (words_[at / kPerWord] >> (at % kPerWord * 2) & 3U) >= limit_;
}

std::size_t CountingFilter::pass(std::span<const std::uint64_t> keys, std::span<std::uint32_t> chosen) const {
  std::array<std::uint64_t, kBatch> places;
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < chosen.size(); begin += kBatch) {
    const std::size_t size = std::min(kBatch, chosen.size() - begin);
    for (std::size_t i = 0; i < size; ++i) {
      places[i] = place(keys[chosen[begin + i]]);
      __builtin_prefetch(&words_[places[i] / kPerWord]);
    }
    for (std::size_t i = 0; i < size; ++i) {
      chosen[kept] = chosen[begin + i];
      kept += (words_[places[i] / kPerWord] >> (places[i] % kPerWord * 2) & 3U) >= limit_ ? 1 : 0;
    }
  }
  return kept;
}

std::uint64_t CountingFilter::below(unsigned threads, const Context& context) const {
  constexpr std::size_t kPiece = std::size_t{1} << 16U;
  std::atomic<std::uint64_t> sum{0};
  parallel_for(threads, (words_.size() + kPiece - 1) / kPiece, [&](unsigned, std::size_t piece) {
    throw_if_stopped(context);
    std::uint64_t mine = 0;
    for (std::size_t i = piece * kPiece; i < std::min(words_.size(), (piece + 1) * kPiece); ++i)
      for (std::uint32_t word = words_[i]; word != 0; word >>= 2U)
        if ((word & 3U) < limit_) mine += word & 3U;
    sum.fetch_add(mine, std::memory_order_relaxed);
  });
  return sum;
}

}  // namespace refrain::ngram
