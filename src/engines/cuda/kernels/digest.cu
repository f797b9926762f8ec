#include "engines/cuda/kernels/sketches.cuh"

namespace refrain::cuda {

namespace {

// Reads the words of a text at any offset, from two aligned words and a shift.
struct Words {
  const std::uint8_t* text;
  __device__ __forceinline__ std::uint64_t operator()(std::uint64_t at) const {
    const auto address = reinterpret_cast<std::uintptr_t>(text + at);
    const auto* aligned = reinterpret_cast<const std::uint64_t*>(address & ~std::uintptr_t{7});
    const unsigned shift = static_cast<unsigned>(address % 8) * 8;
    const std::uint64_t low = aligned[0];
    return shift == 0 ? low : low >> shift | aligned[1] << (64 - shift);
  }
};

__device__ Wide short_digest(const Words& words, unsigned size) {
  if (size > 16) return xxh3_wide_of_240(words, size);
  return xxh3_wide_of_16(size == 0 ? 0 : words(0), size > 8 ? words(size - 8) : 0, size);
}

// Hashes a text of more than 240 bytes with a warp: lane l takes word l % 8 of every fourth stripe.
__device__ Wide long_digest(const Words& words, std::uint64_t size, unsigned lane) {
  const unsigned column = lane % 8;
  const unsigned row = lane / 8;
  const std::uint64_t stripes = (size - 1) / kXxh3Stripe;
  std::uint64_t sum = row == 0 ? kXxh3Sums[column] : 0;
  const auto add = [&](std::uint64_t stripe, unsigned secret) {
    const std::uint64_t word = words(stripe + 8 * column);
    return Wide{xxh3_accumulate(word, xxh3_secret(secret + 8 * column)), word};
  };
  const auto add_up = [&] {
    sum += __shfl_xor_sync(kAll, sum, 8);
    sum += __shfl_xor_sync(kAll, sum, 16);
  };
  for (std::uint64_t block = 0; block < stripes; block += kXxh3BlockStripes) {
    const auto in_block =
        static_cast<unsigned>(stripes - block < kXxh3BlockStripes ? stripes - block : kXxh3BlockStripes);
    std::uint64_t own = 0;
    std::uint64_t neighbours = 0;
#pragma unroll
    for (unsigned s = 0; s < kXxh3BlockStripes; s += 4) {
      if (s + row >= in_block) continue;
      const Wide added = add((block + s + row) * kXxh3Stripe, 8 * (s + row));
      own += added.low;
      neighbours += added.high;
    }
    sum += own + __shfl_xor_sync(kAll, neighbours, 1);
    if (in_block < kXxh3BlockStripes) break;
    add_up();
    sum = row == 0 ? xxh3_scramble(sum, column) : 0;
  }
  // The last 64 bytes are added even if they are not a stripe of their own.
  Wide added{0, 0};
  if (row == 0) added = add(size - kXxh3Stripe, 192 - 64 - 7);
  sum += added.low + __shfl_xor_sync(kAll, added.high, 1);
  add_up();
  const std::uint64_t odd = __shfl_xor_sync(kAll, sum, 1);
  Wide half{0, 0};
  if (lane < 8 && lane % 2 == 0)
    half = {xxh3_merge(sum, odd, lane / 2, 11), xxh3_merge(sum, odd, lane / 2, 192 - 64 - 11)};
  for (unsigned step = 2; step < 8; step *= 2) {
    half.low += __shfl_xor_sync(kAll, half.low, step);
    half.high += __shfl_xor_sync(kAll, half.high, step);
  }
  return {xxh3_avalanche(size * kXxhPrime1 + half.low), xxh3_avalanche(~(size * kXxhPrime2) + half.high)};
}

// A block processes 32 texts: its first warp takes the short ones, one per lane, then the warps share the long ones.
__global__ void __launch_bounds__(kWarps* kLanes) digest_texts(DeviceTexts texts, std::uint64_t* digests) {
  const std::uint64_t first = std::uint64_t{blockIdx.x} * kLanes;
  const unsigned warp = threadIdx.x / kLanes;
  const unsigned lane = threadIdx.x % kLanes;
  const std::uint64_t text = first + lane;
  const bool here = text < texts.count;
  const std::uint64_t begin = here ? texts.offsets[text] : 0;
  const std::uint64_t size = here ? texts.offsets[text + 1] - begin : 0;
  const auto put = [&](std::uint64_t which, const Wide& digest) {
    digests[2 * which] = digest.high;
    digests[2 * which + 1] = digest.low;
  };
  if (warp == 0 && here && size <= kXxh3MostShort)
    put(text, short_digest({texts.bytes + begin}, static_cast<unsigned>(size)));
  for (unsigned left = __ballot_sync(kAll, size > kXxh3MostShort); left != 0; left &= left - 1) {
    const auto which = static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
    if (which % kWarps != warp) continue;
    const std::uint64_t from = __shfl_sync(kAll, begin, which);
    const std::uint64_t bytes = __shfl_sync(kAll, size, which);
    const Wide digest = long_digest({texts.bytes + from}, bytes, lane);
    if (lane == 0) put(first + which, digest);
  }
}

}  // namespace

void digests(const DeviceTexts& texts, std::uint64_t* digests, cudaStream_t stream) {
  if (texts.count == 0) return;
  digest_texts<<<static_cast<unsigned>((texts.count + kLanes - 1) / kLanes), kWarps * kLanes, 0, stream>>>(texts,
                                                                                                           digests);
}

}  // namespace refrain::cuda
