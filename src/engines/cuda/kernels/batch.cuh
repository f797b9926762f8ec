// Code that all kernels over text share: a batch in device memory, and how a warp loads its tile of it.
#pragma once

#include <cuda_runtime.h>

#include "engines/cuda/kernels/tile.h"

namespace refrain::cuda {

inline constexpr unsigned kWarps = 4;  // per block
inline constexpr unsigned kAll = 0xFFFFFFFFU;

// `count` texts: text i is bytes[offsets[i], offsets[i + 1]), and offsets[0] is 0. `bytes` must be aligned to 32
// bytes and readable up to kReach bytes past the end.
struct DeviceTexts {
  const std::uint8_t* bytes;
  const std::uint64_t* offsets;
  std::uint64_t count;
  std::uint64_t size;
};

inline std::uint64_t tiles_of(std::uint64_t size) {
  return (size + kTileBytes - 1) / kTileBytes;
}

// Sets firsts[t] to the last text that begins at or before the first byte of tile t: the text that contains that
// byte.
__global__ void find_first_texts(DeviceTexts texts, std::uint64_t tiles, std::uint64_t* firsts);

// Loads a warp's tile and, if `masks` is set, marks it. All lanes of the warp must call this.
template <Members kind, bool masks = true>
__device__ __forceinline__ void load_tile(Tile& tile, const DeviceTexts& texts, std::uint64_t begin, unsigned lane) {
  const std::uint8_t* from = texts.bytes + begin;
#pragma unroll
  for (unsigned round = 0; round < (kMaskWords + kLanes - 1) / kLanes; ++round) {
    const unsigned at = round * kLanes + lane;
    if (at >= kMaskWords) break;
    const uint4 a = *reinterpret_cast<const uint4*>(from + 32 * at);
    const uint4 b = *reinterpret_cast<const uint4*>(from + 32 * at + 16);
    *reinterpret_cast<uint4*>(tile.text + 8 * at) = a;
    *reinterpret_cast<uint4*>(tile.text + 8 * at + 4) = b;
    const std::uint32_t words[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    if constexpr (masks) mark<kind>(tile, at, words);
  }
  if (lane < 4) tile.text[kReach / 4 + lane] = 0;
  if constexpr (!masks) {
    __syncwarp();
    return;
  }
  if (lane < 2) tile.members[kMaskWords + lane] = 0;
  const bool before = begin != 0 && is_member<kind>(from[-1]);
  __syncwarp();
  for (unsigned at = lane; at < kMaskWords; at += kLanes) mark_starts(tile, at, before);
  __syncwarp();
}

// The part of a text that lies in the tile that begins at `begin`; empty if there is none.
struct Seen {
  Place place;
  Part part;
  bool whole;
};
__device__ __forceinline__ Seen overlap_of(const DeviceTexts& texts, std::uint64_t text, std::uint64_t begin) {
  const std::uint64_t from = texts.offsets[text];
  const std::uint64_t to = texts.offsets[text + 1];
  Seen seen{{texts.bytes + begin, static_cast<std::int64_t>(from - begin), static_cast<std::int64_t>(to - begin)},
            {0, 0},
            false};
  const std::int64_t first = seen.place.begin > 0 ? seen.place.begin : 0;
  const std::int64_t last = seen.place.end < kTileBytes ? seen.place.end : kTileBytes;
  if (first < last) seen.part = {static_cast<unsigned>(first), static_cast<unsigned>(last)};
  seen.whole = seen.place.begin >= 0 && seen.place.end <= kTileBytes;
  return seen;
}

// The lanes of a warp that process one text together.
struct Team {
  unsigned text;   // index among the texts that the warp processes at once
  unsigned lane;   // index in the team
  unsigned first;  // the team's first lane in the warp
  unsigned lanes;
};

// Divides the lanes among 1 to 32 texts in proportion to their bytes; lane i passes the number of bytes of text i.
__device__ __forceinline__ Team make_team(unsigned lane, unsigned texts, unsigned bytes) {
  const unsigned all = __reduce_add_sync(kAll, bytes);
  const unsigned share = lane >= texts ? 0 : all == 0 ? 1 : 1 + (kLanes - texts) * bytes / all;
  unsigned end = share;
#pragma unroll
  for (unsigned step = 1; step < kLanes; step *= 2) {
    const unsigned before = __shfl_up_sync(kAll, end, step);
    if (lane >= step) end += before;
  }
  const unsigned begins = __reduce_or_sync(kAll, lane < texts ? 1U << (end - share) : 0);
  const auto text = static_cast<unsigned>(__popc(begins & (2U << lane) - 1)) - 1;
  const unsigned first = __shfl_sync(kAll, end - share, text);
  const unsigned last = __shfl_sync(kAll, end, text);
  return {text, lane - first, first, (text + 1 == texts ? kLanes : last) - first};  // the last takes the leftovers
}

// The number of texts with a part in the tile: those from firsts[tile] on that begin before the next tile.
__device__ __forceinline__ std::uint64_t texts_in(const DeviceTexts& texts, const std::uint64_t* firsts,
                                                  std::uint64_t tile, std::uint64_t tiles) {
  if (tile + 1 == tiles) return texts.count - firsts[tile];
  const std::uint64_t next = firsts[tile + 1];
  return next - firsts[tile] + (texts.offsets[next] < (tile + 1) * kTileBytes ? 1 : 0);
}

}  // namespace refrain::cuda
