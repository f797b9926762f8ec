#include "engines/blot/blotter.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/checksum.h"
#include "base/mix.h"
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

std::unique_ptr<const BlotFunction> make_blot_function(BlotKind kind) {
  switch (kind) {
    case BlotKind::ordered:
      return make_ordered_blots();
    case BlotKind::sum:
      return make_sum_blots();
    case BlotKind::xor_all:
      return make_xor_blots();
  }
  throw Error(Errc::invalid_argument, "--blots: unknown kind");
}

BlotShape blot_shape(const IndexLayout& layout) {
  const bool all = layout.sampling == BlotSampling::all;
  return {.tokens = all ? layout.window : layout.window / 2 + 1, .stride = layout.interleave};
}

IndexLayout checked_layout(IndexLayout layout) {
  const auto check = [](bool holds, const std::string& message) {
    if (!holds) throw Error(Errc::invalid_argument, message);
  };
  if (layout.interleave > 1) layout.sampling = BlotSampling::all;
  if (text::tokens_are_characters(layout.tokenizer)) layout.pairs = false;
  check(layout.window >= 2 && layout.window <= kMaxBlotWindow,
        fmt::format("--window: must be from 2 to {} tokens, not {}", kMaxBlotWindow, layout.window));
  check(layout.interleave >= 1 && layout.interleave <= kMaxInterleave,
        fmt::format("--interleave: must be from 1 to {}, not {}", kMaxInterleave, layout.interleave));
  check(layout.blot_bits == 0 || (layout.blot_bits >= kMinBlotBits && layout.blot_bits <= kMaxBlotBits),
        fmt::format("--blot-bits: must be from {} to {}, not {}", kMinBlotBits, kMaxBlotBits, layout.blot_bits));
  check(layout.shards >= 1 && layout.shards <= kMaxShards && std::has_single_bit(layout.shards),
        fmt::format("--shards: must be a power of two up to {}, not {}", kMaxShards, layout.shards));
  return layout;
}

Blotter::Blotter(const IndexLayout& layout)
    : shape_(blot_shape(layout)),
      all_(layout.sampling == BlotSampling::all),
      function_(make_blot_function(layout.blots)) {}

// least_[i] becomes the least order value of the tokens between the first and the last of window i, by doubling: the least
// of 2, 4, 8 neighbours, and at last of two overlapping stretches.
void Blotter::find_least(std::span<const std::uint64_t> hashes, std::size_t windows) {
  constexpr std::uint64_t kScatter = 0x9E3779B97F4A7C15ULL;  // so that the order is no part of the blot
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
  const std::size_t before = out.size();
  out.resize(before + windows);
  ChosenWindow* end = out.data() + before;
  if (all_ || shape_.tokens <= 2) {  // both tokens of a window of two are at its ends
    for (std::size_t i = 0; i < windows; ++i) *end++ = {number + i, blots_[i]};
    return;
  }
  find_least(hashes, windows);
  const std::size_t last = shape_.tokens - 1;
  for (std::size_t i = 0; i < windows; ++i) {
    *end = {number + i, blots_[i]};
    end += static_cast<std::size_t>(std::min(order_[i], order_[i + last]) <= least_[i]);
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
}

void choose_pairs(std::span<const std::uint64_t> hashes, std::uint64_t number, std::vector<ChosenWindow>& out) {
  constexpr unsigned kChosenBits = 2;
  if (hashes.size() < 2) return;
  const std::size_t before = out.size();
  out.resize(before + hashes.size() - 1);
  ChosenWindow* end = out.data() + before;
  for (std::size_t i = 0; i + 1 < hashes.size(); ++i) {
    const std::uint64_t blot = mix(hashes[i] + hashes[i + 1], 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9);
    *end = {number + i, blot};
    end += static_cast<std::size_t>(blot >> (64 - kChosenBits) == 0);
  }
  out.resize(static_cast<std::size_t>(end - out.data()));
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
