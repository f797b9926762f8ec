// The options of fingerprint, near and match, as tables.
#include "refrain/options.h"

#include "verbs/run/fingerprint_rows.h"

namespace refrain {

namespace {

using verbs::run::append;
using verbs::run::row;
using Kind = OptionKind;

std::string without_verify(const NearOptions& options) {
  return options.verify ? "" : "without `verify`";
}

// clang-format off
std::vector<Option<NearOptions>> near_rows() {
  using N = NearOptions;
  auto rows = verbs::run::fingerprint_rows<N, &N::fingerprint>();
  rows.front().set = [](N& near, OptionValue&& value) {
    const Preset chosen = *preset(preset_names()[std::get<std::uint64_t>(value)]);
    near.fingerprint = chosen.fingerprint;
    near.distance = chosen.distance;
    near.blocks = chosen.blocks;
  };
  append(rows, {
      row<N, &N::output>({.name = "output", .letter = 'o', .kind = Kind::folder, .unit = "DIR",
                          .default_text = "required", .help = "output folder", .recorded = Recorded::never,
                          .required = true}),
      // The blocks of a preset suit its own distance, and may not suit a greater one.
      {{.name = "distance", .kind = Kind::number, .unit = "BITS",
        .default_text = fmt::format("{}, verified {}", kNearDistance, kVerifiedDistance),
        .help = "maximum differing bits", .most = 63},
       [](N& near, OptionValue&& value) {
         verbs::run::assign(near.distance, std::move(value));
         if (near.blocks <= near.distance) near.blocks = 0;
       },
       [](const N& near) -> OptionValue { return std::uint64_t{near.distance}; }},
      row<N, &N::blocks>({.name = "blocks", .kind = Kind::number, .unit = "M", .default_text = "automatic",
                          .help = "blocks in the join (speed only)", .least = 2, .most = 64,
                          .recorded = Recorded::never}),
      {{.name = "verify", .help = "match only what is similar by its text, too", .first = true},
       [](N& near, OptionValue&& value) {
         verbs::run::assign(near.verify, std::move(value));
         if (near.verify && near.distance == kNearDistance) near.distance = kVerifiedDistance;
       },
       [](const N& near) -> OptionValue { return near.verify; }},
      row<N, &N::threshold>({.name = "threshold", .kind = Kind::share, .unit = "SHARE",
                             .help = "minimum similarity with `verify`", .recorded = Recorded::if_used},
                            without_verify),
      row<N, &N::all_pairs>({.name = "all_pairs", .help = "also list every pair of equal fingerprints"}),
      verbs::run::tables_row<N>(),
      row<N, &N::force>({.name = "force", .help = "write into an existing folder", .recorded = Recorded::never}),
  });
  return rows;
}

std::vector<Option<MatchOptions>> match_rows() {
  using M = MatchOptions;
  return {
      row<M, &M::distance>({.name = "distance", .kind = Kind::number, .unit = "BITS", .help = "maximum differing bits",
                            .most = 63}),
      row<M, &M::all>({.name = "all", .help = "print every match, not only the best"}),
      row<M, &M::add>({.name = "add", .help = "add each query to STORED once it is answered"}),
  };
}
// clang-format on

}  // namespace

template <>
std::span<const Option<FingerprintOptions>> option_table() {
  static const auto rows = verbs::run::fingerprint_rows<FingerprintOptions>();
  return rows;
}

template <>
std::span<const Option<NearOptions>> option_table() {
  static const auto rows = near_rows();
  return rows;
}

template <>
std::span<const Option<MatchOptions>> option_table() {
  static const auto rows = match_rows();
  return rows;
}

}  // namespace refrain
