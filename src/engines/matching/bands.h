// LSH banding: which lanes of a MinHash signature make a key.
//
// The lanes are cut into bands of `rows` lanes; documents that agree in a whole band meet. Two documents with similarity
// s meet in a given band with probability s^rows, and in at least one with 1 - (1 - s^rows)^bands: a curve that rises
// steeply at a place that bands and rows choose.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace refrain::matching {

struct Bands {
  unsigned bands = 0;
  unsigned rows = 0;
  friend bool operator==(const Bands&, const Bands&) = default;
};

// The probability that documents of that similarity meet.
double meeting_probability(const Bands& bands, double similarity);

// The most rows, and then as many bands as there are lanes for, such that documents as similar as `threshold` meet with
// at least that probability, and of those 0.05 more similar at most a fifth as many miss each other (0.95 promises 0.99
// there): more rows mean fewer that meet in vain. Error(invalid_argument) where so few lanes cannot promise it; it names
// how many can.
Bands choose_bands(double threshold, double recall, unsigned lanes);

// A key of 32 bits for each band: a hash of its lanes, whichever machine. `keys` has room for bands.bands.
void band_keys(const Bands& bands, std::span<const std::uint32_t> signature, std::uint32_t* keys);

}  // namespace refrain::matching
