// The options of a context, as a table.
#include "refrain/options.h"
#include "verbs/run/option_rows.h"

namespace refrain {

template <>
std::span<const Option<Context>> option_table() {
  constexpr OptionGroup kRun = OptionGroup::run;
  // clang-format off
  static const std::vector<Option<Context>> rows = {
      verbs::run::row<Context, &Context::memory_bytes>(
          {.name = "memory", .kind = OptionKind::size, .unit = "SIZE", .default_text = "half of the RAM",
           .help = "memory limit, e.g. 2G", .least = kMinMemoryBytes, .group = kRun}),
      verbs::run::row<Context, &Context::threads>(
          {.name = "threads", .kind = OptionKind::number, .unit = "N", .default_text = "1 per core",
           .help = "threads, fewer if memory is low", .least = 1, .most = 1024, .group = kRun}),
      verbs::run::row<Context, &Context::temp_dir>(
          {.name = "temp_dir", .kind = OptionKind::folder, .unit = "DIR", .default_text = "$TMPDIR or /tmp",
           .help = "folder for temporary files", .group = kRun}),
  };
  // clang-format on
  return rows;
}

}  // namespace refrain
