// The tables of options: one row for each member of the structs that faces offer. See option.h.
#pragma once

#include <span>

#include "refrain/dedup.h"
#include "refrain/device.h"
#include "refrain/input.h"
#include "refrain/option.h"

namespace [[gnu::visibility("default")]] refrain {

std::span<const Option<InputOptions>> input_option_table();
std::span<const Option<DeviceOptions>> device_option_table();
// Without the tables of DedupOptions::input and DedupOptions::device. Options are to be set in the order of the table,
// after those of the input: `preset` replaces the defaults, and `against` is read like the input.
std::span<const Option<DedupOptions>> dedup_option_table();

}  // namespace refrain
