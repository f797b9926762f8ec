// A tile: the stretch of text that one warp tokenizes, and iteration over the tokens in it.
//
// The texts of a batch lie end to end and are cut into tiles of equal size, wherever documents begin and end, so it
// does not matter whether a batch has many small documents or one large one. A tile owns the windows that begin in
// it. It also holds a little of the text that follows (the halo); bytes further on are read from the text itself,
// which is rare.
//
// A document is left to the CPU if it is not ASCII (`letters` accepts any byte) or has a token of more than
// kMaxDeviceTokenBytes. With xxh3, a token may have at most 240 bytes, and a gap that a window crosses beyond the tile
// must be shorter than kMaxDeviceTokenBytes.
//
// Compiled for the host as well, with a loop in place of the warp, so that it can be tested without a device.
#pragma once

#include "engines/cuda/device.h"
#include "engines/cuda/kernels/hash.h"

namespace refrain::cuda {

// The ASCII characters that form tokens. Those of `words` are converted to lower case.
enum class Members : std::uint8_t { not_space, letters, words };

inline constexpr unsigned kLanes = 32;
inline constexpr unsigned kTileBytes = kLanes * 144;  // an odd multiple of 16: lanes read from different banks
inline constexpr unsigned kHaloBytes = 128;
inline constexpr unsigned kReach = kTileBytes + kHaloBytes;
inline constexpr unsigned kMaskWords = kReach / 32;
inline constexpr unsigned kMaxDeviceTokenBytes = 16384;  // as text::kMaxTokenBytes: longer tokens are cut

static_assert(kTileBytes % 32 == 0 && kReach % 32 == 0);

struct TileText {
  alignas(16) std::uint32_t text[kReach / 4 + 4];
};
struct Tile : TileText {
  std::uint32_t members[kMaskWords + 2];  // bit i of word w: byte 32 w + i belongs to a token
  std::uint32_t starts[kMaskWords];       // it is the first byte of a token
  std::uint32_t others[kMaskWords];       // it is not ASCII
};

REFRAIN_HOST_DEVICE unsigned lowest_bit(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__ffs(static_cast<int>(word))) - 1;
#else
  return static_cast<unsigned>(__builtin_ctz(word));
#endif
}
REFRAIN_HOST_DEVICE unsigned count_bits(std::uint32_t word) {
#ifdef __CUDA_ARCH__
  return static_cast<unsigned>(__popc(word));
#else
  return static_cast<unsigned>(__builtin_popcount(word));
#endif
}
// The word that begins `shift` bits into `low`; `shift` must be less than 32.
REFRAIN_HOST_DEVICE std::uint32_t shift_words(std::uint32_t low, std::uint32_t high, unsigned shift) {
#ifdef __CUDA_ARCH__
  return __funnelshift_r(low, high, shift);
#else
  return static_cast<std::uint32_t>((std::uint64_t{high} << 32U | low) >> shift);
#endif
}

// Returns 0x80 in each of four bytes that is a member.
template <Members kind>
REFRAIN_HOST_DEVICE std::uint32_t member_flags(std::uint32_t bytes) {
  const std::uint32_t low = bytes & 0x7F7F7F7FU;
  // Sets the upper bit of each byte that is between `first` and `last`, inclusive.
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

// The bits that convert four members to lower case; digits have this bit already.
template <Members kind>
REFRAIN_HOST_DEVICE constexpr std::uint32_t lower_bits() {
  return kind == Members::words ? 0x20202020U : 0;
}

template <Members kind>
REFRAIN_HOST_DEVICE bool is_member(std::uint8_t byte) {
  return (member_flags<kind>(byte) & 0x80U) != 0;
}

// Returns a mask whose bit i is the flag of byte i of 32.
template <class Flags>
REFRAIN_HOST_DEVICE std::uint32_t mask_of(const std::uint32_t (&words)[8], Flags flags) {
  std::uint32_t mask = 0;
  REFRAIN_UNROLL
  for (int i = 7; i >= 0; --i) mask = shift_words(flags(words[i]) * 0x00204081U, mask, 28);
  return mask;
}

// Sets the masks of bytes [32 at, 32 at + 32).
template <Members kind>
REFRAIN_HOST_DEVICE void mark(Tile& tile, unsigned at, const std::uint32_t (&words)[8]) {
  tile.members[at] = mask_of(words, [](std::uint32_t w) { return member_flags<kind>(w); });
  std::uint32_t any = 0;
  REFRAIN_UNROLL
  for (int i = 0; i < 8; ++i) any |= words[i];
  tile.others[at] = (any & 0x80808080U) == 0 ? 0 : mask_of(words, [](std::uint32_t w) { return w & 0x80808080U; });
}
// Must be called after all members are marked. `before` says whether the byte before the tile is a member.
REFRAIN_HOST_DEVICE void mark_starts(Tile& tile, unsigned at, bool before) {
  const std::uint32_t carry = at == 0 ? (before ? 1U : 0U) : tile.members[at - 1] >> 31U;
  tile.starts[at] = tile.members[at] & ~(tile.members[at] << 1U | carry);
}

// A part of a tile, in bytes from its beginning.
struct Part {
  unsigned begin;
  unsigned end;
};

// The share of lane `lane` out of `lanes` in a document's part of a tile. It has an odd number of words, so that
// lanes that advance in step do not access the same bank of shared memory.
REFRAIN_HOST_DEVICE Part share_of(Part part, unsigned lane, unsigned lanes) {
  const unsigned size = part.end - part.begin;
  const unsigned step = (((size + lanes - 1) / lanes + 3) / 4 | 1U) * 4;
  const unsigned begin = part.begin + step * lane;
  if (begin >= part.end) return {part.end, part.end};
  return {begin, begin + step < part.end ? begin + step : part.end};
}

// The same, but cut at multiples of sixteen bytes.
REFRAIN_HOST_DEVICE Part even_share_of(Part part, unsigned lane, unsigned lanes) {
  const unsigned base = part.begin / 16 * 16;
  const unsigned step = ((part.end - base + lanes - 1) / lanes + 15) / 16 * 16;
  const unsigned begin = lane == 0 ? part.begin : base + step * lane;
  const unsigned end = base + step * (lane + 1);
  if (begin >= part.end) return {part.end, part.end};
  return {begin, end < part.end ? end : part.end};
}

// Limits a mask, word number `word`, to the bits of the part.
REFRAIN_HOST_DEVICE std::uint32_t bits_in(Part part, unsigned word, std::uint32_t mask) {
  if (word == part.begin / 32) mask &= ~0U << part.begin % 32;
  if (word == (part.end - 1) / 32) mask &= ~0U >> (31 - (part.end - 1) % 32);
  return mask;
}

REFRAIN_HOST_DEVICE bool any_non_ascii(const Tile& tile, Part part) {
  std::uint32_t any = 0;
  if (part.begin < part.end)
    for (unsigned word = part.begin / 32; word <= (part.end - 1) / 32; ++word)
      any |= bits_in(part, word, tile.others[word]);
  return any != 0;
}

// The position of a document relative to the beginning of a tile.
struct Place {
  const std::uint8_t* text;  // at the beginning of the tile; the whole document can be read through it
  std::int64_t begin;        // may be negative
  std::int64_t end;          // greater than begin; may lie beyond the tile
};

// The end of the run of members (or of other bytes, if `members` is false) that begins at `from`; at most `limit`.
template <Members kind, bool members>
REFRAIN_NOINLINE unsigned run_in_text(const std::uint8_t* text, unsigned from, unsigned limit) {
  while (from < limit && is_member<kind>(text[from]) == members) ++from;
  return from;
}

// The end of the run of members that begins at `from` in a tile; at most kReach.
REFRAIN_NOINLINE unsigned run_in_tile(const std::uint32_t* members, unsigned from) {
  std::uint32_t out = ~members[from / 32] & ~0U << from % 32;
  unsigned word = from / 32;
  while (out == 0 && ++word < kMaskWords) out = ~members[word];
  return word < kMaskWords ? 32 * word + lowest_bit(out) : kReach;
}

// Iterates over the tokens of a document, from a position in the tile on.
template <Members kind>
class Walker {
 public:
  REFRAIN_HOST_DEVICE Walker(const Tile& tile, const Place& place)
      : tile_(tile), text_(place.text), end_(place.end < kFar ? static_cast<unsigned>(place.end) : kFar) {}

  // Starts at part.begin. Returns the number of tokens that begin in the part.
  REFRAIN_HOST_DEVICE unsigned start(const Place& place, Part part) {
    word_ = kMaskWords;
    waiting_ = 0;
    at_ = kReach;
    size_ = 0;
    if (part.begin >= part.end) return 0;
    word_ = part.begin / 32;
    waiting_ = tile_.starts[word_] & ~0U << part.begin % 32;
    // A token begins where a document begins, whatever lies before it.
    if (place.begin == static_cast<std::int64_t>(part.begin)) waiting_ |= tile_.members[word_] & 1U << part.begin % 32;
    unsigned count = count_bits(bits_in(part, word_, waiting_));
    for (unsigned word = word_ + 1; word <= (part.end - 1) / 32; ++word)
      count += count_bits(bits_in(part, word, tile_.starts[word]));
    return count;
  }

  // Moves to the next token. Returns false at the end of the document, or if the walker gave up.
  REFRAIN_HOST_DEVICE bool next() {
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

  // The offset of the token from the beginning of the tile.
  REFRAIN_HOST_DEVICE unsigned at() const { return at_; }
  REFRAIN_HOST_DEVICE unsigned size() const { return size_; }
  // The document must be left to the CPU.
  REFRAIN_HOST_DEVICE bool gave_up() const { return gave_up_; }

 private:
  static constexpr unsigned kFar = 1U << 30U;  // further than kMostWindow tokens and the gaps before them can reach

  // Sets the end of the token, which is earlier if the document ends before it, and later if it continues past the
  // tile.
  REFRAIN_HOST_DEVICE void set_end(unsigned end) {
    if (end >= end_)
      end = end_;
    else if (end >= kReach)
      end = run_in_text<kind, true>(text_, end, least(end_, at_ + kXxh3MostShort + 1));
    size_ = end - at_;
    if (size_ > kXxh3MostShort) gave_up_ = true;
  }

  REFRAIN_HOST_DEVICE bool next_beyond() {
    word_ = kMaskWords;
    const unsigned from = at_ + size_ > kReach ? at_ + size_ : kReach;
    if (from >= end_) return false;
    const unsigned limit = least(end_, from + kMaxDeviceTokenBytes);
    at_ = run_in_text<kind, false>(text_, from, limit);
    size_ = 0;
    if (at_ == limit) {
      if (limit < end_) gave_up_ = true;
      return false;
    }
    set_end(at_ + 1 > kReach ? at_ + 1 : kReach);
    return true;
  }

  static REFRAIN_HOST_DEVICE unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

  const Tile& tile_;
  const std::uint8_t* text_;
  unsigned end_;
  unsigned word_ = kMaskWords;
  std::uint32_t waiting_ = 0;  // starts in that word that have not been visited
  unsigned at_ = kReach;
  unsigned size_ = 0;
  bool gave_up_ = false;
};

// The hash of a token of at most 240 bytes, read from the text.
template <Members kind>
REFRAIN_NOINLINE std::uint64_t token_hash_in_text(const std::uint8_t* token, unsigned size, std::uint64_t seed) {
  const auto word = [&](unsigned at) {
    std::uint64_t bytes = 0;
    for (unsigned i = 8; i-- > 0;)
      bytes = bytes << 8U | (at + i < size ? token[at + i] | lower_bits<kind>() % 256 : 0U);
    return bytes;
  };
  return size > 16 ? xxh3_of_240(word, size, seed) : xxh3_of_16(word(0), size > 8 ? word(size - 8) : 0, size, seed);
}

// The same, but fast if the token has at most 16 bytes and ends in the tile.
template <Members kind>
REFRAIN_HOST_DEVICE std::uint64_t token_hash(const Tile& tile, const std::uint8_t* text, unsigned at, unsigned size,
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
  // For more than eight bytes: the last eight, which are preceded by 8 to 64 bits of the token.
  const unsigned skip = 8 * size - 64;
  const std::uint64_t last = size > 8 ? first >> 1U >> (skip - 1) | eight(2) << (64 - skip) : 0;
  return xxh3_of_16(first, last, size, seed);
}

// How tokens become features (text/windows.h).
struct FeatureRule {
  unsigned window;              // 1 to kMostWindow
  std::uint64_t oldest_weight;  // kWindowBase to the power `window`
  std::uint64_t seed;
};

// The windows of a document that begin in one part of a tile. `ring` must have room for rule.window hashes, `kLanes`
// apart.
template <Members kind, bool windows>
class Features {
 public:
  REFRAIN_HOST_DEVICE Features(const Tile& tile, const Place& place, Part part, const FeatureRule& rule,
                               std::uint64_t* ring)
      : tile_(tile), text_(place.text), rule_(rule), walker_(tile, place), ring_(ring) {
    left_ = walker_.start(place, part);
    if constexpr (windows) {
      if (left_ == 0) return;
      for (unsigned i = 0; i < rule_.window; ++i) ring_[i * kLanes] = 0;
      left_ += rule_.window - 1;
      missing_ = rule_.window - 1;
    }
  }

  // Returns false if there is no feature: at the end, and before the first window is full.
  REFRAIN_HOST_DEVICE bool next(std::uint64_t& feature) {
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
  REFRAIN_HOST_DEVICE bool left() const { return left_ != 0; }
  REFRAIN_HOST_DEVICE bool gave_up() const { return walker_.gave_up(); }

 private:
  REFRAIN_HOST_DEVICE void roll(std::uint64_t token) {
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
  unsigned left_ = 0;     // number of tokens still to be visited
  unsigned missing_ = 0;  // number of tokens that the first window still lacks
};

}  // namespace refrain::cuda
