#include "engines/blot/blotter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/hash.h"
#include "engines/blot/format.h"
#include "refrain/error.h"
#include "text/token_hash.h"
#include "text/token_hasher.h"

namespace refrain {

std::vector<std::string_view> blot_kind_names() {
  return {"ordered", "sum", "xor"};
}

std::vector<std::string_view> blot_sampling_names() {
  return {"syncmer", "all"};
}

std::vector<std::string_view> edits_names() {
  return {"none", "light", "heavy"};
}

}  // namespace refrain

namespace refrain::blot {

namespace {

// Appends those of `count` windows that are wanted, in small batches, so that no memory is needed for the others.
template <class Blot, class Wanted>
void append_chosen(std::size_t count, std::uint64_t number, Blot blot, Wanted wanted, std::vector<ChosenWindow>& out) {
  std::array<ChosenWindow, 256> some;
  for (std::size_t begin = 0; begin < count; begin += some.size()) {
    ChosenWindow* end = some.data();
    for (std::size_t i = begin; i < std::min(count, begin + some.size()); ++i) {
      *end = {number + i, blot(i)};
      end += static_cast<std::size_t>(wanted(i, end->blot));
    }
    out.insert(out.end(), some.data(), end);
  }
}

}  // namespace

std::unique_ptr<const BlotFunction> make_blot_function(BlotKind kind) {
  switch (kind) {
    case BlotKind::ordered:
      return make_ordered_blots();
    case BlotKind::sum:
      return make_sum_blots();
    case BlotKind::xor_all:
      return make_xor_blots();
  }
  throw Error(Errc::invalid_argument, "`blots`: unknown kind");
}

unsigned default_blot_tokens(const IndexLayout& layout) {
  return layout.interleave > 1 ? layout.window : layout.window / 2 + 1;
}

BlotShape blot_shape(const IndexLayout& layout) {
  return {.tokens = layout.blot_tokens != 0 ? layout.blot_tokens : default_blot_tokens(layout),
          .stride = layout.interleave};
}

IndexLayout checked_layout(IndexLayout layout) {
  const auto check = [](bool holds, const std::string& message) {
    if (!holds) throw Error(Errc::invalid_argument, message);
  };
  if (layout.interleave > 1) layout.sampling = BlotSampling::all;
  if (text::tokens_are_characters(layout.tokenizer)) layout.pairs = false;
  check(layout.window >= 2 && layout.window <= kMaxBlotWindow,
        fmt::format("`window`: must be from 2 to {} tokens, not {}", kMaxBlotWindow, layout.window));
  check(layout.blot_tokens == 0 || layout.blot_tokens == default_blot_tokens(layout) ||
            (layout.sampling == BlotSampling::all && layout.blot_tokens >= 2 && layout.blot_tokens <= layout.window),
        fmt::format("`window`: with {} tokens, a blot cannot be made of {}", layout.window, layout.blot_tokens));
  check(layout.interleave >= 1 && layout.interleave <= kMaxInterleave,
        fmt::format("`interleave`: must be from 1 to {}, not {}", kMaxInterleave, layout.interleave));
  check(layout.blot_bits == 0 || (layout.blot_bits >= kMinBlotBits && layout.blot_bits <= kMaxBlotBits),
        fmt::format("`blot_bits`: must be from {} to {}, not {}", kMinBlotBits, kMaxBlotBits, layout.blot_bits));
  check(layout.shards >= 1 && layout.shards <= kMaxShards && std::has_single_bit(layout.shards),
        fmt::format("`shards`: must be a power of two up to {}, not {}", kMaxShards, layout.shards));
  return layout;
}

Blotter::Blotter(const IndexLayout& layout)
    : shape_(blot_shape(layout)),
      all_(layout.sampling == BlotSampling::all),
      function_(make_blot_function(layout.blots)) {}

// Sets least_[i] to the least order value of the tokens between the first and the last of window i, by doubling:
// first the least of 2, 4, 8 neighbors, finally of two overlapping stretches.
void Blotter::find_least(std::span<const std::uint64_t> hashes, std::size_t windows) {
  constexpr std::uint64_t kScatter = 0x9E3779B97F4A7C15ULL;  // so that the order does not correlate with the blot
  order_.resize(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) order_[i] = hashes[i] * kScatter;
  const std::size_t inner = shape_.tokens - 2;
  least_.assign(order_.begin(), order_.end());
  std::size_t width = 1;
  while (width * 2 <= inner) {
    for (std::size_t i = 0; i + width < least_.size(); ++i) least_[i] = std::min(least_[i], least_[i + width]);
    width *= 2;
  }
  for (std::size_t i = 0; i < windows; ++i) least_[i] = std::min(least_[i + 1], least_[i + 1 + inner - width]);
}

void Blotter::choose(std::span<const std::uint64_t> hashes, std::uint64_t number, std::vector<ChosenWindow>& out) {
  if (hashes.size() < shape_.span()) return;
  const std::size_t windows = hashes.size() - shape_.span() + 1;
  blots_.resize(windows);
  function_->blots(hashes, shape_, blots_.data());
  const auto blot = [&](std::size_t i) { return blots_[i]; };
  if (all_ || shape_.tokens <= 2) {  // in a window of two, both tokens are at its ends
    append_chosen(
        windows, number, blot, [](std::size_t, std::uint64_t) { return true; }, out);
    return;
  }
  find_least(hashes, windows);
  const std::size_t last = shape_.tokens - 1;
  append_chosen(
      windows, number, blot,
      [&](std::size_t i, std::uint64_t) { return std::min(order_[i], order_[i + last]) <= least_[i]; }, out);
}

void choose_pairs(std::span<const std::uint64_t> hashes, std::uint64_t number, std::vector<ChosenWindow>& out) {
  constexpr unsigned kChosenBits = 2;
  if (hashes.size() < 2) return;
  append_chosen(
      hashes.size() - 1, number,
      [&](std::size_t i) { return mix(hashes[i] + hashes[i + 1], 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9); },
      [](std::size_t, std::uint64_t blot) { return blot >> (64 - kChosenBits) == 0; }, out);
}

std::uint32_t mark_checksum(std::string_view text) {
  return static_cast<std::uint32_t>(checksum(text));
}

BlotStream::BlotStream(const IndexLayout& layout, const text::Tokenizer& tokenizer)
    : tokenizer_(tokenizer), blotter_(layout), has_pairs_(layout.pairs) {
  hashes_.resize(blotter_.shape().span() + text::TokenBlock::kMaxEdges / 2 + 16);
}

void BlotStream::start(std::string_view text) {
  text_ = text;
  position_ = 0;
  tokens_ = 0;
  carried_ = 0;
  marks_.assign(1, {});
}

bool BlotStream::next(std::span<const ChosenWindow>& chosen) {
  if (position_ >= text_.size()) {
    marks_.back().checksum = mark_checksum(text_.substr(marks_.back().begin));
    return false;
  }
  position_ = tokenizer_.next(text_, position_, block_);
  text::hash_tokens(HashKind::xxh3, block_, 0, hashes_.data() + carried_);
  mark_tokens();
  const std::size_t count = carried_ + block_.size();
  chosen_.clear();
  blotter_.choose({hashes_.data(), count}, tokens_ - carried_, chosen_);
  pairs_.clear();
  if (has_pairs_) {
    const std::size_t first = carried_ == 0 ? 0 : carried_ - 1;
    choose_pairs({hashes_.data() + first, count - first}, tokens_ - (carried_ - first), pairs_);
  }
  tokens_ += block_.size();
  const std::size_t carry = std::min(count, blotter_.shape().span() - 1);
  std::copy_n(hashes_.data() + (count - carry), carry, hashes_.data());
  carried_ = carry;
  chosen = chosen_;
  return true;
}

void BlotStream::mark_tokens() {
  const std::uint64_t next = (tokens_ + kMarkTokens - 1) / kMarkTokens * kMarkTokens;
  for (std::uint64_t token = std::max(next, kMarkTokens); token < tokens_ + block_.size(); token += kMarkTokens) {
    const std::uint64_t begin = block_.range(token - tokens_).begin;
    TextMark& last = marks_.back();
    last.checksum = mark_checksum(text_.substr(last.begin, begin - last.begin));
    marks_.push_back({begin, 0, 0});
  }
}

}  // namespace refrain::blot
