// The tables of options: one row for each member of the structs that faces offer. See option.h.
#pragma once

#include <span>

#include "refrain/context.h"
#include "refrain/dedup.h"
#include "refrain/device.h"
#include "refrain/explain.h"
#include "refrain/fingerprint.h"
#include "refrain/hamming.h"
#include "refrain/index.h"
#include "refrain/input.h"
#include "refrain/near.h"
#include "refrain/ngrams.h"
#include "refrain/option.h"
#include "refrain/substrings.h"

namespace [[gnu::visibility("default")]] refrain {

// Structs within a struct have a table of their own, except FingerprintOptions and PassageLimits, whose rows are in the
// tables of the structs that contain them.
template <class Options>
std::span<const Option<Options>> option_table();

template <>
std::span<const Option<Context>> option_table();
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
std::span<const Option<ExplainOptions>> option_table();
template <>
std::span<const Option<MatchOptions>> option_table();
template <>
std::span<const Option<SubstringsOptions>> option_table();
template <>
std::span<const Option<NgramsOptions>> option_table();
template <>
std::span<const Option<NgramsShowOptions>> option_table();
template <>
std::span<const Option<IndexLayout>> option_table();
template <>
std::span<const Option<IndexAddOptions>> option_table();
template <>
std::span<const Option<QueryOptions>> option_table();
template <>
std::span<const Option<ExtractOptions>> option_table();
template <>
std::span<const Option<BlotsOptions>> option_table();

}  // namespace refrain
