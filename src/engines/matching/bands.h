// LSH banding: which lanes of a MinHash signature make a key.
//
// The lanes are cut into bands of `rows` lanes; documents that agree in a whole band meet. Two documents with similarity
// s meet in a given band with probability s^rows, and in at least one with 1 - (1 - s^rows)^bands: a curve that rises
// steeply at a place that bands and rows choose.
#pragma once

#include "refrain/kernels.h"

namespace refrain::matching {

using refrain::band_keys;
using refrain::Bands;
using refrain::choose_bands;
using refrain::meeting_probability;

}  // namespace refrain::matching
