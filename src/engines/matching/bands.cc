#include "engines/matching/bands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/hash.h"
#include "base/pieces.h"
#include "refrain/error.h"

namespace refrain {

namespace {

constexpr std::uint64_t kBase = 0xD1342543DE82EF95ULL;

// Uses multiplication only, so that every machine chooses the same bands.
double power(double base, unsigned exponent) {
  double product = 1;
  for (unsigned i = 0; i < exponent; ++i) product *= base;
  return product;
}

bool meets_targets(const Bands& bands, double threshold, double recall) {
  return meeting_probability(bands, threshold) >= recall &&
         1 - meeting_probability(bands, std::min(1.0, threshold + 0.05)) <= (1 - recall) / 5;
}

// The bands with the most rows that keep the promise; no bands if none do.
Bands steepest(double threshold, double recall, unsigned lanes) {
  for (unsigned rows = lanes; rows > 0; --rows)
    if (const Bands bands{lanes / rows, rows}; meets_targets(bands, threshold, recall)) return bands;
  return {};
}

}  // namespace

double meeting_probability(const Bands& bands, double similarity) {
  const double missed = power(1 - power(similarity, bands.rows), bands.bands);
  return 1 - missed;
}

Bands choose_bands(double threshold, double recall, unsigned lanes) {
  if (!(threshold > 0 && threshold <= 1))
    throw Error(Errc::invalid_argument, fmt::format("`threshold`: must be above 0 and at most 1, not {}", threshold));
  if (!(recall > 0 && recall < 1))
    throw Error(Errc::invalid_argument, fmt::format("`recall`: must be between 0 and 1, not {}", recall));
  if (const Bands bands = steepest(threshold, recall, lanes); bands.bands != 0) return bands;
  unsigned least = static_cast<unsigned>(std::ceil(threshold * 100));  // in hundredths
  while (least < 100 && steepest(least / 100.0, recall, lanes).bands == 0) ++least;
  throw Error(Errc::invalid_argument,
              fmt::format("`threshold` {}: too low for {} lanes at {:g}% recall; use {:.2f} or more", threshold, lanes,
                          100 * recall, least / 100.0));
}

void band_keys(const Bands& bands, std::span<const std::uint32_t> signature, std::uint32_t* keys) {
  const std::uint32_t* lane = signature.data();
  for (unsigned band = 0; band < bands.bands; ++band) {
    std::uint64_t key = band + 1;
    for (unsigned row = 0; row < bands.rows; ++row) key = key * kBase + *lane++;
    keys[band] = static_cast<std::uint32_t>(mix(key, 0x9FB21C651E98DF25ULL, 0xA24BAED4963EE407ULL) >> 32U);
  }
}

void band_keys(const Bands& bands, std::span<const std::uint32_t> signatures, unsigned lanes, std::uint32_t* keys,
               const Context& context) {
  if (lanes == 0 || signatures.size() % lanes != 0 || std::uint64_t{bands.bands} * bands.rows > lanes)
    throw Error(Errc::invalid_argument,
                fmt::format("band_keys: {} numbers are not signatures of {} lanes with {} bands of {}",
                            signatures.size(), lanes, bands.bands, bands.rows));
  for_each_piece(context, signatures.size() / lanes, [&](unsigned /*worker*/, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      band_keys(bands, signatures.subspan(i * lanes, lanes), keys + i * bands.bands);
  });
}

}  // namespace refrain
