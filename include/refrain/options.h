// The tables of options: one row for each member of the structs that faces offer. See option.h.
#pragma once

#include <span>

#include "refrain/dedup.h"
#include "refrain/device.h"
#include "refrain/fingerprint.h"
#include "refrain/hamming.h"
#include "refrain/input.h"
#include "refrain/near.h"
#include "refrain/option.h"

namespace [[gnu::visibility("default")]] refrain {

// Structs within a struct have a table of their own, except FingerprintOptions, whose rows are also in the tables of
// those that contain it.
template <class Options>
std::span<const Option<Options>> option_table();

template <>
std::span<const Option<InputOptions>> option_table();
template <>
std::span<const Option<DeviceOptions>> option_table();
template <>
std::span<const Option<FingerprintOptions>> option_table();
template <>
std::span<const Option<DocumentMatchOptions>> option_table();
// To be set after those of the input, because `against` is read like it.
template <>
std::span<const Option<DedupOptions>> option_table();
template <>
std::span<const Option<NearOptions>> option_table();
template <>
std::span<const Option<MatchOptions>> option_table();

}  // namespace refrain
