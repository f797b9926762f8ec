// A tile: the stretch of text that one warp tokenizes, and the way from token to token in it.
//
// The texts of a batch lie end to end and are cut into tiles of equal size, wherever documents begin and end; so it does
// not matter whether a batch has many small documents or one large one. A tile owns the windows that begin in it: of
// what follows, it holds a little more (the halo), and what reaches further is read from the text itself. That is rare.
//
// A document is left to the CPU if it is not ASCII (`letters` takes any byte), or has a token or a gap of more than
// kMostTokenBytes; under xxh3, a token of more than 240.
//
// Compiled for the host as well, where a loop takes the place of the warp: that is how it is tested without a device.
#pragma once

#include "engines/cuda/device.h"
#include "engines/cuda/kernels/hash.h"

namespace refrain::cuda {

// Which ASCII characters make tokens. Those of `words` are in lower case.
enum class Members : std::uint8_t { not_space, letters, words };

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kTileBytes = kLanes * 144;  // nine times sixteen: in other banks than its neighbours'
inline constexpr unsigned kHaloBytes = 128;
inline constexpr unsigned kReach = kTileBytes + kHaloBytes;
inline constexpr unsigned kMaskWords = kReach / 32;
inline constexpr unsigned kMostTokenBytes = 16384;  // text::kMaxTokenBytes: past that, tokens are cut

static_assert(kTileBytes % 32 == 0 && kReach % 32 == 0);

struct TileText {
  alignas(16) std::uint32_t text[kReach / 4 + 4];
};
struct Tile : TileText {
  std::uint32_t members[kMaskWords + 2];  // bit i of word w: byte 32 w + i belongs to a token
  std::uint32_t starts[kMaskWords];       // and is its first
  std::uint32_t others[kMaskWords];       // is not ASCII
};

REFRAIN_BOTH unsigned lowest_bit(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__ffs(static_cast<int>(word))) - 1;
#else
  return static_cast<unsigned>(__builtin_ctz(word));
#endif
}
REFRAIN_BOTH unsigned count_bits(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popc(word));
#else
  return static_cast<unsigned>(__builtin_popcount(word));
#endif
}
// The word that begins `shift` bits, fewer than 32, into low.
REFRAIN_BOTH std::uint32_t shift_words(std::uint32_t low, std::uint32_t high, unsigned shift) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(low, high, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32U | low) >> shift);
#endif
}

// Of four bytes: 0x80 where one is a member.
template <Members kind>
REFRAIN_BOTH std::uint32_t member_flags(std::uint32_t bytes) {
  const std::uint32_t low = bytes & 0x7F7F7F7FU;
  // The upper bit of a byte that is at least `first` and at most `last`.
  const auto between = [](std::uint32_t x, std::uint32_t first, std::uint32_t last) {
    return (x + (0x80 - first) * 0x01010101U) & ~(x + (0x7F - last) * 0x01010101U);
  };
  std::uint32_t in = 0;
  if constexpr (kind == Members::not_space)
    in = ~(between(low, '\t', '\r') | between(low, ' ', ' '));
  else
    in = between(low | 0x20202020U, 'a', 'z');
  if constexpr (kind == Members::words) in |= between(low, '0', '9');
  return in & ~bytes & 0x80808080U;
}

// What makes members, four bytes of them, lower case: digits have the bit already.
template <Members kind>
REFRAIN_BOTH constexpr std::uint32_t lower_bits() {
  return kind == Members::words ? 0x20202020U : 0;
}

template <Members kind>
REFRAIN_BOTH bool is_member(std::uint8_t byte) {
  return (member_flags<kind>(byte) & 0x80U) != 0;
}

// Bit i tells of byte i of 32.
template <class Flags>
REFRAIN_BOTH std::uint32_t mask_of(const std::uint32_t (&words)[8], Flags flags) {
  std::uint32_t mask = 0;
  REFRAIN_UNROLL
  for (int i = 7; i >= 0; --i) mask = shift_words(flags(words[i]) * 0x00204081U, mask, 28);
  return mask;
}

// The masks of bytes [32 at, 32 at + 32).
template <Members kind>
REFRAIN_BOTH void mark(Tile& tile, unsigned at, const std::uint32_t (&words)[8]) {
  tile.members[at] = mask_of(words, [](std::uint32_t w) { return member_flags<kind>(w); });
  std::uint32_t any = 0;
  REFRAIN_UNROLL
  for (int i = 0; i < 8; ++i) any |= words[i];
  tile.others[at] = (any & 0x80808080U) == 0 ? 0 : mask_of(words, [](std::uint32_t w) { return w & 0x80808080U; });
}
// Once all members are marked. `before`: the byte before the tile is a member.
REFRAIN_BOTH void mark_starts(Tile& tile, unsigned at, bool before) {
  const std::uint32_t carry = at == 0 ? (before ? 1U : 0U) : tile.members[at - 1] >> 31U;
  tile.starts[at] = tile.members[at] & ~(tile.members[at] << 1U | carry);
}

// Part of a tile, in bytes from where the tile begins.
struct Part {
  unsigned begin;
  unsigned end;
};

// Of what a document has in a tile, the share of lane `lane` of `lanes`: an odd number of words, so that lanes that go side
// by side do not meet in the same bank of shared memory.
REFRAIN_BOTH Part share_of(Part part, unsigned lane, unsigned lanes) {
  const unsigned size = part.end - part.begin;
  const unsigned step = (((size + lanes - 1) / lanes + 3) / 4 | 1U) * 4;
  const unsigned begin = part.begin + step * lane;
  if (begin >= part.end) return {part.end, part.end};
  return {begin, begin + step < part.end ? begin + step : part.end};
}

// The same, cut at multiples of sixteen bytes.
REFRAIN_BOTH Part even_share_of(Part part, unsigned lane, unsigned lanes) {
  const unsigned base = part.begin / 16 * 16;
  const unsigned step = ((part.end - base + lanes - 1) / lanes + 15) / 16 * 16;
  const unsigned begin = lane == 0 ? part.begin : base + step * lane;
  const unsigned end = base + step * (lane + 1);
  if (begin >= part.end) return {part.end, part.end};
  return {begin, end < part.end ? end : part.end};
}

// Of word `word` of a mask, the bits of the part.
REFRAIN_BOTH std::uint32_t bits_in(Part part, unsigned word, std::uint32_t mask) {
  if (word == part.begin / 32) mask &= ~0U << part.begin % 32;
  if (word == (part.end - 1) / 32) mask &= ~0U >> (31 - (part.end - 1) % 32);
  return mask;
}

REFRAIN_BOTH bool any_others(const Tile& tile, Part part) {
  std::uint32_t any = 0;
  if (part.begin < part.end)
    for (unsigned word = part.begin / 32; word <= (part.end - 1) / 32; ++word)
      any |= bits_in(part, word, tile.others[word]);
  return any != 0;
}

// A document as a tile sees it: where it lies, from where the tile begins.
struct Place {
  const std::uint8_t* text;  // at the beginning of the tile; all of the document can be read
  std::int64_t begin;        // may be negative
  std::int64_t end;          // past begin; may be beyond the tile
};

// How far the members go on from `from`, or (`members` is false) what is none; to `limit` at most.
template <Members kind, bool members>
REFRAIN_APART unsigned run_in_text(const std::uint8_t* text, unsigned from, unsigned limit) {
  while (from < limit && is_member<kind>(text[from]) == members) ++from;
  return from;
}

// The same for members, in a tile: to kReach at most.
REFRAIN_APART unsigned run_in_tile(const std::uint32_t* members, unsigned from) {
  std::uint32_t out = ~members[from / 32] & ~0U << from % 32;
  unsigned word = from / 32;
  while (out == 0 && ++word < kMaskWords) out = ~members[word];
  return word < kMaskWords ? 32 * word + lowest_bit(out) : kReach;
}

// The tokens of a document, from one place in the tile on.
template <Members kind>
class Walker {
 public:
  REFRAIN_BOTH Walker(const Tile& tile, const Place& place)
      : tile_(tile), text_(place.text), end_(place.end < kFar ? static_cast<unsigned>(place.end) : kFar) {}

  // From part.begin on. Returns how many tokens begin in the part.
  REFRAIN_BOTH unsigned start(const Place& place, Part part) {
    word_ = kMaskWords;
    waiting_ = 0;
    at_ = kReach;
    size_ = 0;
    if (part.begin >= part.end) return 0;
    word_ = part.begin / 32;
    waiting_ = tile_.starts[word_] & ~0U << part.begin % 32;
    // Where a document begins, so does a token, whatever lies before it.
    if (place.begin == static_cast<std::int64_t>(part.begin)) waiting_ |= tile_.members[word_] & 1U << part.begin % 32;
    unsigned count = count_bits(bits_in(part, word_, waiting_));
    for (unsigned word = word_ + 1; word <= (part.end - 1) / 32; ++word)
      count += count_bits(bits_in(part, word, tile_.starts[word]));
    return count;
  }

  // False at the end of the document.
  REFRAIN_BOTH bool next() {
    while (waiting_ == 0) {
      if (++word_ >= kMaskWords) return next_beyond();
      waiting_ = tile_.starts[word_];
    }
    at_ = 32 * word_ + lowest_bit(waiting_);
    waiting_ &= waiting_ - 1;
    if (at_ >= end_) {
      word_ = kMaskWords;
      waiting_ = 0;
      return false;
    }
    const unsigned after = at_ + 1;
    const std::uint32_t rest = shift_words(~tile_.members[after / 32], ~tile_.members[after / 32 + 1], after % 32);
    set_end(rest != 0 ? after + lowest_bit(rest) : run_in_tile(tile_.members, after));
    return true;
  }

  // From where the tile begins.
  REFRAIN_BOTH unsigned at() const { return at_; }
  REFRAIN_BOTH unsigned size() const { return size_; }
  // The document is for the CPU.
  REFRAIN_BOTH bool gave_up() const { return gave_up_; }

 private:
  static constexpr unsigned kFar = 1U << 30U;  // further than kMostWindow tokens and the gaps before them reach

  // The token's end, unless the document ends before it, or the tile does and the token goes on.
  REFRAIN_BOTH void set_end(unsigned end) {
    if (end >= end_)
      end = end_;
    else if (end >= kReach)
      end = run_in_text<kind, true>(text_, end, least(end_, at_ + kXxh3MostShort + 1));
    size_ = end - at_;
    if (size_ > kXxh3MostShort) gave_up_ = true;
  }

  REFRAIN_BOTH bool next_beyond() {
    word_ = kMaskWords;
    const unsigned from = at_ + size_ > kReach ? at_ + size_ : kReach;
    if (from >= end_) return false;
    const unsigned limit = least(end_, from + kMostTokenBytes);
    at_ = run_in_text<kind, false>(text_, from, limit);
    size_ = 0;
    if (at_ == limit) {
      if (limit < end_) gave_up_ = true;
      return false;
    }
    set_end(at_ + 1 > kReach ? at_ + 1 : kReach);
    return true;
  }

  static REFRAIN_BOTH unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

  const Tile& tile_;
  const std::uint8_t* text_;
  unsigned end_;
  unsigned word_ = kMaskWords;
  std::uint32_t waiting_ = 0;  // starts in that word that were not visited yet
  unsigned at_ = kReach;
  unsigned size_ = 0;
  bool gave_up_ = false;
};

// The hash of a token of at most 240 bytes as it lies in the text.
template <Members kind>
REFRAIN_APART std::uint64_t token_hash_in_text(const std::uint8_t* token, unsigned size, std::uint64_t seed) {
  const auto word = [&](unsigned at) {
    std::uint64_t bytes = 0;
    for (unsigned i = 8; i-- > 0;)
      bytes = bytes << 8U | (at + i < size ? token[at + i] | lower_bits<kind>() % 256 : 0U);
    return bytes;
  };
  return size > 16 ? xxh3_of_240(word, size, seed) : xxh3_of_16(word(0), size > 8 ? word(size - 8) : 0, size, seed);
}

// The same; fast where the token has at most 16 bytes and ends in the tile.
template <Members kind>
REFRAIN_BOTH std::uint64_t token_hash(const Tile& tile, const std::uint8_t* text, unsigned at, unsigned size,
                                      std::uint64_t seed) {
  if (size > 16 || at + size > kReach) return token_hash_in_text<kind>(text + at, size, seed);
  constexpr std::uint32_t kCase = lower_bits<kind>();
  const std::uint32_t* word = tile.text + at / 4;
  const unsigned shift = at % 4 * 8;
  const std::uint32_t words[5] = {word[0], word[1], word[2], word[3], word[4]};
  const auto eight = [&](unsigned i) {
    return (std::uint64_t{shift_words(words[i + 1], words[i + 2], shift) | kCase} << 32U) |
           (shift_words(words[i], words[i + 1], shift) | kCase);
  };
  const std::uint64_t first = eight(0);
  // Of more than eight bytes, the last eight: 8 to 64 bits of the token are before them.
  const unsigned skip = 8 * size - 64;
  const std::uint64_t last = size > 8 ? first >> 1U >> (skip - 1) | eight(2) << (64 - skip) : 0;
  return xxh3_of_16(first, last, size, seed);
}

// What makes features of tokens (text/windows.h).
struct FeatureRule {
  unsigned window;              // 1 to kMostWindow
  std::uint64_t oldest_weight;  // kWindowBase to the power `window`
  std::uint64_t seed;
};

// The windows of a document that begin in one part of a tile. `ring` has room for rule.window hashes, `kLanes` apart.
template <Members kind, bool windows>
class Features {
 public:
  REFRAIN_BOTH Features(const Tile& tile, const Place& place, Part part, const FeatureRule& rule, std::uint64_t* ring)
      : tile_(tile), text_(place.text), rule_(rule), walker_(tile, place), ring_(ring) {
    left_ = walker_.start(place, part);
    if constexpr (windows) {
      if (left_ == 0) return;
      for (unsigned i = 0; i < rule_.window; ++i) ring_[i * kLanes] = 0;
      left_ += rule_.window - 1;
      missing_ = rule_.window - 1;
    }
  }

  // False where there is none: at the end, and before the first window is full.
  REFRAIN_BOTH bool next(std::uint64_t& feature) {
    if (left_ == 0) return false;
    --left_;
    if (!walker_.next() || walker_.gave_up()) {
      left_ = 0;
      return false;
    }
    const std::uint64_t token = token_hash<kind>(tile_, text_, walker_.at(), walker_.size(), rule_.seed);
    if constexpr (windows) {
      roll(token);
      if (missing_ != 0) {
        --missing_;
        return false;
      }
      feature = mix_window(rolling_);
    } else {
      feature = token;
    }
    return true;
  }
  REFRAIN_BOTH bool left() const { return left_ != 0; }
  REFRAIN_BOTH bool gave_up() const { return walker_.gave_up(); }

 private:
  REFRAIN_BOTH void roll(std::uint64_t token) {
    const std::uint64_t oldest = ring_[slot_ * kLanes];
    ring_[slot_ * kLanes] = token;
    slot_ = slot_ + 1 == rule_.window ? 0 : slot_ + 1;
    rolling_ = rolling_ * kWindowBase + (token - oldest * rule_.oldest_weight);
  }

  const Tile& tile_;
  const std::uint8_t* text_;
  const FeatureRule rule_;
  Walker<kind> walker_;
  std::uint64_t* ring_;
  std::uint64_t rolling_ = 0;
  unsigned slot_ = 0;
  unsigned left_ = 0;     // tokens that are still to be visited
  unsigned missing_ = 0;  // of the first window
};

}  // namespace refrain::cuda
