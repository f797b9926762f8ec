#include "engines/cuda/kernels/planes.h"
#include "engines/cuda/kernels/sdbm_run.h"
#include "engines/cuda/kernels/sketches.cuh"

namespace refrain::cuda {

namespace {

constexpr unsigned kBlocksAtOnce = 5;  // per multiprocessor, limited by the registers they use

__device__ __forceinline__ unsigned bits_for(unsigned number) {
  return 32U - static_cast<unsigned>(__clz(static_cast<int>(number)));
}

// Adds up the counters of each team, in its first lane. No lane may have counted more than `most` features.
__device__ __forceinline__ void add_up(Planes& planes, const Team& team, unsigned most_lanes, unsigned most) {
  for (unsigned step = 1; step < most_lanes; step *= 2) {
    const std::uint64_t taken = team.lane + step < team.lanes ? ~std::uint64_t{0} : 0;
    most *= 2;
    std::uint64_t carry = 0;
#pragma unroll
    for (unsigned p = 0; p < kPlanes; ++p) {
      if (most >> p == 0) break;
      const std::uint64_t other = __shfl_down_sync(kAll, planes.bits[p], step) & taken;
      const std::uint64_t out = Planes::majority(planes.bits[p], other, carry);
      planes.bits[p] ^= other ^ carry;
      carry = out;
    }
  }
}

// Does the same for a number.
__device__ __forceinline__ unsigned add_up(unsigned number, const Team& team) {
#pragma unroll
  for (unsigned step = 1; step < kLanes; step *= 2) {
    const unsigned other = __shfl_down_sync(kAll, number, step);
    if (team.lane + step < team.lanes) number += other;
  }
  return number;
}

// The result of a lane for its part of a text.
struct Sum {
  Planes planes;
  unsigned made = 0;
  bool for_cpu = false;
};

// The general case: tokens, windows of them, and their hashes.
template <Members kind, bool windows>
struct ByFeature {
  static constexpr Members kMembers = kind;
  static constexpr bool kMasks = true;
  static constexpr unsigned kRing = windows ? kMaxDeviceWindow * kLanes : 1;

  static __device__ __forceinline__ Sum add(const Tile& tile, const Seen& seen, const Team& team,
                                            const FeatureRule& rule, std::uint64_t* ring, unsigned lane) {
    Sum sum;
    Part part = share_of(seen.part, team.lane, team.lanes);
    sum.for_cpu = kind != Members::letters && any_non_ascii(tile, part);
    if (sum.for_cpu) part.end = part.begin;
    Features<kind, windows> features(tile, seen.place, part, rule, ring + (windows ? lane : 0));
    for (unsigned batch = 1; __any_sync(kAll, features.left()); ++batch) {
      std::uint64_t first = 0;
      std::uint64_t second = 0;
      if (features.next(first)) ++sum.made;
      if (features.next(second)) ++sum.made;
      sum.planes.add(first, second, batch);
    }
    sum.for_cpu = sum.for_cpu || features.gave_up();
    return sum;
  }
};

// The special case of single tokens hashed with sdbm.
template <Members kind>
struct ByByte {
  static constexpr Members kMembers = kind;
  static constexpr bool kMasks = false;
  static constexpr unsigned kRing = 1;

  static __device__ __forceinline__ Sum add(const Tile& tile, const Seen& seen, const Team& team,
                                            const FeatureRule& /*rule*/, std::uint64_t* /*ring*/, unsigned /*lane*/) {
    SdbmRun<kind> run(tile, seen.place, even_share_of(seen.part, team.lane, team.lanes));
    __syncwarp();
    return {run.planes(), run.made(), run.gave_up() || (kind != Members::letters && run.others())};
  }
};

template <class Way>
__global__ void __launch_bounds__(kWarps* kLanes, kBlocksAtOnce)
    simhash_tiles(DeviceTexts texts, FeatureRule rule, bool tie_sets_bit, std::uint64_t tiles, SimHashBuffers room,
                  std::uint64_t* hashes, std::uint8_t* valid) {
  using TileType = std::conditional_t<Way::kMasks, Tile, TileText>;
  __shared__ alignas(16) char shared[kWarps][sizeof(TileType)];
  __shared__ std::uint64_t rings[kWarps][Way::kRing];
  const unsigned warp = threadIdx.x / kLanes;
  const unsigned lane = threadIdx.x % kLanes;
  const std::uint64_t number = std::uint64_t{blockIdx.x} * kWarps + warp;
  if (number >= tiles) return;
  Tile& tile = *reinterpret_cast<Tile*>(shared[warp]);
  const std::uint64_t begin = number * kTileBytes;
  load_tile<Way::kMembers, Way::kMasks>(tile, texts, begin, lane);

  const std::uint64_t first = room.firsts[number];
  const std::uint64_t count = texts_in(texts, room.firsts, number, tiles);
  for (std::uint64_t next = 0; next < count; next += kLanes) {
    const auto at_once = static_cast<unsigned>(count - next < kLanes ? count - next : kLanes);
    unsigned bytes = 0;
    if (lane < at_once) {
      const Part part = overlap_of(texts, first + next + lane, begin).part;
      bytes = part.end - part.begin;
    }
    const Team team = make_team(lane, at_once, bytes);
    const std::uint64_t text = first + next + team.text;
    const Seen seen = overlap_of(texts, text, begin);
    Sum sum = Way::add(tile, seen, team, rule, rings[warp], lane);
    // The lower 16 bits count features, at most kTileBytes; the bits above count the lanes that gave up.
    const unsigned most = __reduce_max_sync(kAll, sum.made);
    const unsigned all = __shfl_sync(kAll, add_up(sum.made | (sum.for_cpu ? 1U << 16U : 0), team), team.first);
    const bool for_cpu = all >> 16U != 0;
    const unsigned made = all & 0xFFFFU;
    add_up(sum.planes, team, __reduce_max_sync(kAll, team.lanes), most);
    const unsigned used = bits_for(__reduce_max_sync(kAll, made));
    const bool spread = !seen.whole && !for_cpu && made != 0;
    if (seen.part.begin < seen.part.end && team.lane == 0) {
      if (for_cpu) {
        valid[text] = kForCpu;
      } else if (seen.whole && made != 0) {
        hashes[text] = sum.planes.at_least(static_cast<unsigned>(enough_of(made, tie_sets_bit)), used);
        valid[text] = 1;
      }
    }
    if (!__any_sync(kAll, spread)) continue;
#pragma unroll
    for (unsigned p = 0; p < kPlanes; ++p)
      if (p < used) sum.planes.bits[p] = __shfl_sync(kAll, sum.planes.bits[p], team.first);
    if (!spread) continue;
    const std::uint64_t slot = seen.place.begin >= 0 ? number : texts.offsets[text] / kTileBytes;
    for (unsigned bit = team.lane; bit < 64; bit += team.lanes) {
      const unsigned set = sum.planes.count(bit, used);
      if (set != 0) atomicAdd(room.counts + slot * 64 + bit, set);
    }
    if (team.lane == 0) atomicAdd(room.features + slot, made);
  }
}

// Completes the texts that lie in more than one tile, with one warp for each tile in which such a text may begin.
__global__ void simhash_slots(DeviceTexts texts, bool tie_sets_bit, std::uint64_t tiles, SimHashBuffers room,
                              std::uint64_t* hashes, std::uint8_t* valid) {
  const std::uint64_t tile = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kLanes;
  const unsigned lane = threadIdx.x % kLanes;
  if (tile + 1 >= tiles) return;
  const std::uint64_t text = room.firsts[tile + 1];
  const std::uint32_t features = room.features[tile];
  if (texts.offsets[text] / kTileBytes != tile || features == 0 || valid[text] == kForCpu) return;
  const std::uint64_t enough = enough_of(features, tie_sets_bit);
  const unsigned low = __ballot_sync(kAll, room.counts[tile * 64 + lane] >= enough);
  const unsigned high = __ballot_sync(kAll, room.counts[tile * 64 + 32 + lane] >= enough);
  if (lane != 0) return;
  hashes[text] = std::uint64_t{high} << 32U | low;
  valid[text] = 1;
}

template <Members kind>
void launch(const DeviceTexts& texts, const SimHashRule& rule, std::uint64_t tiles, const SimHashBuffers& room,
            std::uint64_t* hashes, std::uint8_t* valid, cudaStream_t stream) {
  const auto run = [&](auto kernel) {
    kernel<<<static_cast<unsigned>((tiles + kWarps - 1) / kWarps), kWarps * kLanes, 0, stream>>>(
        texts, rule.feature, rule.tie_sets_bit, tiles, room, hashes, valid);
  };
  if (rule.sdbm)
    run(simhash_tiles<ByByte<kind>>);
  else
    run(rule.feature.window > 1 ? simhash_tiles<ByFeature<kind, true>> : simhash_tiles<ByFeature<kind, false>>);
}

}  // namespace

void simhash(const DeviceTexts& texts, const SimHashRule& rule, const SimHashBuffers& room, std::uint64_t* hashes,
             std::uint8_t* valid, cudaStream_t stream) {
  cudaMemsetAsync(hashes, 0, texts.count * sizeof *hashes, stream);
  cudaMemsetAsync(valid, 0, texts.count, stream);
  const std::uint64_t tiles = tiles_of(texts.size);
  if (tiles == 0) return;
  cudaMemsetAsync(room.counts, 0, tiles * 64 * sizeof *room.counts, stream);
  cudaMemsetAsync(room.features, 0, tiles * sizeof *room.features, stream);
  constexpr unsigned kThreads = 256;
  find_first_texts<<<static_cast<unsigned>((tiles + kThreads - 1) / kThreads), kThreads, 0, stream>>>(texts, tiles,
                                                                                                      room.firsts);
  switch (rule.members) {
    case Members::not_space:
      launch<Members::not_space>(texts, rule, tiles, room, hashes, valid, stream);
      break;
    case Members::letters:
      launch<Members::letters>(texts, rule, tiles, room, hashes, valid, stream);
      break;
    case Members::words:
      launch<Members::words>(texts, rule, tiles, room, hashes, valid, stream);
      break;
  }
  simhash_slots<<<static_cast<unsigned>((tiles * kLanes + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
      texts, rule.tie_sets_bit, tiles, room, hashes, valid);
}

}  // namespace refrain::cuda
