// The options of explain: those of near and dedup by which two documents are compared.
#include "refrain/options.h"

#include <algorithm>

#include "refrain/explain.h"
#include "verbs/run/fingerprint_rows.h"

namespace refrain {

namespace {

using E = ExplainOptions;
using verbs::run::assign;

// clang-format off
std::vector<Option<E>> explain_rows() {
  auto rows = verbs::run::fingerprint_rows<E, &E::fingerprint>();
  // A preset and a window are for all verbs.
  rows.front().set = [](E& explain, OptionValue&& value) {
    const Preset chosen = *preset(preset_names()[std::get<std::uint64_t>(value)]);
    explain.fingerprint = chosen.fingerprint;
    explain.distance = explain.verified_distance = chosen.distance;
    explain.dedup_window = chosen.fingerprint.window;
  };
  const auto window = std::ranges::find(rows, "window", [](const Option<E>& row) { return row.info.name; });
  window->info.default_text = fmt::format("{}; {} for dedup", E{}.fingerprint.window, E{}.dedup_window);
  window->set = [](E& explain, OptionValue&& value) {
    assign(explain.dedup_window, std::move(value));
    explain.fingerprint.window = explain.dedup_window;
  };
  verbs::run::append(rows, {
      {{.name = "distance", .kind = OptionKind::number, .unit = "BITS",
        .default_text = fmt::format("{}, verified {}", kNearDistance, kVerifiedDistance),
        .help = "maximum differing bits", .most = 63},
       [](E& explain, OptionValue&& value) {
         assign(explain.distance, std::move(value));
         explain.verified_distance = explain.distance;
       },
       [](const E& explain) -> OptionValue { return std::uint64_t{explain.distance}; }},
  });
  verbs::run::append(rows, verbs::run::threshold_rows<E>());
  return rows;
}
// clang-format on

}  // namespace

template <>
std::span<const Option<ExplainOptions>> option_table() {
  static const auto rows = explain_rows();
  return rows;
}

}  // namespace refrain
