// LSH banding: which lanes of a MinHash signature make a key.
//
// The lanes are cut into bands of `rows` lanes; documents that agree in a whole band become candidates. Two
// documents with similarity s agree in a given band with probability s^rows, and in at least one with 1 - (1 -
// s^rows)^bands: a curve that rises steeply at a similarity that depends on bands and rows.
#pragma once

#include "refrain/kernels.h"

namespace refrain::matching {

using refrain::band_keys;
using refrain::Bands;
using refrain::choose_bands;
using refrain::meeting_probability;

}  // namespace refrain::matching
