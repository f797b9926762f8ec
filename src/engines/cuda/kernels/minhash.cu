#include "engines/cuda/kernels/sketches.cuh"

namespace refrain::cuda {

namespace {

constexpr std::uint64_t kBandBase = 0xD1342543DE82EF95ULL;
constexpr unsigned kPerLane = kSignatureLanes / kLanes;

// Sets a bit of a byte whose other bits may be set by other tiles.
__device__ __forceinline__ void set_bit(std::uint8_t* valid, std::uint64_t text, unsigned bit) {
  atomicOr(reinterpret_cast<unsigned*>(valid + (text & ~std::uint64_t{3})), bit << 8 * (text & 3));
}

template <Members kind, bool windows>
__global__ void __launch_bounds__(kWarps* kLanes)
    minhash_tiles(DeviceTexts texts, FeatureRule rule, const std::uint32_t* __restrict__ factors,
                  const std::uint32_t* __restrict__ addends, std::uint64_t tiles, const std::uint64_t* firsts,
                  std::uint32_t* signatures, std::uint8_t* valid) {
  __shared__ Tile shared[kWarps];
  __shared__ std::uint64_t rings[windows ? kWarps : 1][windows ? kMaxDeviceWindow * kLanes : 1];
  __shared__ alignas(16) std::uint32_t halves[kWarps][kLanes + 4];
  const unsigned warp = threadIdx.x / kLanes;
  const unsigned lane = threadIdx.x % kLanes;
  const std::uint64_t number = std::uint64_t{blockIdx.x} * kWarps + warp;
  if (number >= tiles) return;
  Tile& tile = shared[warp];
  const std::uint64_t begin = number * kTileBytes;
  load_tile<kind>(tile, texts, begin, lane);

  std::uint32_t factor[kPerLane];
  std::uint32_t addend[kPerLane];
#pragma unroll
  for (unsigned i = 0; i < kPerLane; ++i) {
    factor[i] = factors[i * kLanes + lane];
    addend[i] = addends[i * kLanes + lane];
  }
  const std::uint64_t first = firsts[number];
  const std::uint64_t count = texts_in(texts, firsts, number, tiles);
  for (std::uint64_t next = 0; next < count; ++next) {
    const std::uint64_t text = first + next;
    const Seen seen = overlap_of(texts, text, begin);
    if (seen.part.begin == seen.part.end) continue;
    Part part = share_of(seen.part, lane, kLanes);
    bool for_cpu = kind != Members::letters && any_non_ascii(tile, part);
    if (for_cpu) part.end = part.begin;
    Features<kind, windows> features(tile, seen.place, part, rule, &rings[windows ? warp : 0][windows ? lane : 0]);
    std::uint32_t least[kPerLane];
#pragma unroll
    for (unsigned i = 0; i < kPerLane; ++i) least[i] = ~0U;
    bool any = false;
    while (__any_sync(kAll, features.left())) {
      std::uint64_t feature = 0;
      const bool has = features.next(feature);
      const unsigned having = __ballot_sync(kAll, has);
      if (having == 0) continue;
      any = true;
      // Collects the features side by side and fills up to a multiple of four; a repeated feature does not change a
      // minimum.
      const auto half = static_cast<std::uint32_t>(feature >> 32U);
      const unsigned made = __popc(having);
      if (has) halves[warp][__popc(having & ((1U << lane) - 1))] = half;
      const std::uint32_t filler = __shfl_sync(kAll, half, __ffs(static_cast<int>(having)) - 1);
      if (lane < 4) halves[warp][made + lane] = filler;
      __syncwarp();
      for (unsigned i = 0; i < made; i += 4) {
        const uint4 four = *reinterpret_cast<const uint4*>(&halves[warp][i]);
#pragma unroll
        for (unsigned k = 0; k < kPerLane; ++k) {
          least[k] = min(least[k], factor[k] * four.x + addend[k]);
          least[k] = min(least[k], factor[k] * four.y + addend[k]);
          least[k] = min(least[k], factor[k] * four.z + addend[k]);
          least[k] = min(least[k], factor[k] * four.w + addend[k]);
        }
      }
      __syncwarp();
    }
    for_cpu = __any_sync(kAll, for_cpu || features.gave_up()) != 0;
    if (for_cpu) {
      if (lane == 0) set_bit(valid, text, kForCpu);
      continue;
    }
    if (!any) continue;
    if (lane == 0) set_bit(valid, text, 1);
    std::uint32_t* signature = signatures + text * (kPerLane * kLanes);
#pragma unroll
    for (unsigned k = 0; k < kPerLane; ++k) {
      if (seen.whole)
        signature[k * kLanes + lane] = least[k];
      else
        atomicMin(signature + k * kLanes + lane, least[k]);
    }
  }
}

// Each thread makes one word of a sketch: the low bytes of four lanes, or the key of a band.
__global__ void make_sketches(const std::uint32_t* signatures, std::uint64_t count, unsigned bands, unsigned rows,
                              std::uint32_t* sketches) {
  constexpr unsigned kByteWords = kSignatureLanes / 4;
  const unsigned words = kByteWords + bands;
  const std::uint64_t number = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (number >= count * words) return;
  const auto word = static_cast<unsigned>(number % words);
  const std::uint32_t* signature = signatures + number / words * kSignatureLanes;
  if (word < kByteWords) {
    const uint4 lanes = *reinterpret_cast<const uint4*>(signature + 4 * word);
    sketches[number] = (lanes.x & 0xFF) | (lanes.y & 0xFF) << 8 | (lanes.z & 0xFF) << 16 | lanes.w << 24;
    return;
  }
  const unsigned band = word - kByteWords;
  std::uint64_t key = band + 1;
  for (unsigned row = 0; row < rows; ++row) key = key * kBandBase + signature[band * rows + row];
  sketches[number] = static_cast<std::uint32_t>(mix_window(key) >> 32U);
}

template <Members kind>
void launch(const DeviceTexts& texts, const MinHashRule& rule, std::uint64_t tiles, const std::uint64_t* firsts,
            std::uint32_t* signatures, std::uint8_t* valid, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((tiles + kWarps - 1) / kWarps);
  const auto run = [&](auto kernel) {
    kernel<<<blocks, kWarps * kLanes, 0, stream>>>(texts, rule.feature, rule.factors, rule.addends, tiles, firsts,
                                                   signatures, valid);
  };
  run(rule.feature.window == 1 ? minhash_tiles<kind, false> : minhash_tiles<kind, true>);
}

}  // namespace

void minhash(const DeviceTexts& texts, const MinHashRule& rule, std::uint64_t* firsts, std::uint32_t* signatures,
             std::uint8_t* valid, cudaStream_t stream) {
  cudaMemsetAsync(signatures, 0xFF, texts.count * kSignatureLanes * sizeof *signatures, stream);
  cudaMemsetAsync(valid, 0, (texts.count + 3) / 4 * 4, stream);  // as words, in which set_bit() writes
  const std::uint64_t tiles = tiles_of(texts.size);
  if (tiles == 0) return;
  constexpr unsigned kThreads = 256;
  find_first_texts<<<static_cast<unsigned>((tiles + kThreads - 1) / kThreads), kThreads, 0, stream>>>(texts, tiles,
                                                                                                      firsts);
  switch (rule.members) {
    case Members::not_space:
      return launch<Members::not_space>(texts, rule, tiles, firsts, signatures, valid, stream);
    case Members::letters:
      return launch<Members::letters>(texts, rule, tiles, firsts, signatures, valid, stream);
    case Members::words:
      return launch<Members::words>(texts, rule, tiles, firsts, signatures, valid, stream);
  }
}

void minhash_sketches(const std::uint32_t* signatures, std::uint64_t count, unsigned bands, unsigned rows,
                      std::uint32_t* sketches, cudaStream_t stream) {
  if (count == 0) return;
  constexpr unsigned kThreads = 256;
  const std::uint64_t words = count * (kSignatureLanes / 4 + bands);
  make_sketches<<<static_cast<unsigned>((words + kThreads - 1) / kThreads), kThreads, 0, stream>>>(
      signatures, count, bands, rows, sketches);
}

}  // namespace refrain::cuda
