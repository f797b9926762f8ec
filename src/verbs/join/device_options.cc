// The options of a device, as a table.
#include "refrain/options.h"
#include "verbs/run/option_rows.h"

namespace refrain {

namespace {

using verbs::run::choice_row;
using verbs::run::row;

std::string without_device(const DeviceOptions& options) {
  return options.kind == DeviceKind::cpu ? "without `device`" : "";
}

// clang-format off
const std::vector<Option<DeviceOptions>>& device_rows() {
  static const std::vector<Option<DeviceOptions>> rows = {
      choice_row<DeviceOptions, device_names, &DeviceOptions::kind>(
          {.name = "device", .unit = "NAME", .help = "changes the time, not the result", .group = OptionGroup::run,
           .recorded = Recorded::never}),
      row<DeviceOptions, &DeviceOptions::memory_bytes>(
          {.name = "device_memory", .kind = OptionKind::size, .unit = "SIZE", .default_text = "half of what is free",
           .help = "memory limit on the GPU", .least = 1, .group = OptionGroup::run, .recorded = Recorded::never},
          without_device),
  };
  return rows;
}
// clang-format on

}  // namespace

template <>
std::span<const Option<DeviceOptions>> option_table() {
  return device_rows();
}

}  // namespace refrain
