// The options of substrings, as a table.
#include "refrain/options.h"

#include "verbs/run/option_rows.h"

namespace refrain {

namespace {

using verbs::run::choice_row;
using verbs::run::row;

std::vector<std::string_view> snap_names() {
  return {"none", "utf8", "word", "line"};
}
std::vector<std::string_view> keep_names() {
  return {"first", "none"};
}

// clang-format off
std::vector<Option<SubstringsOptions>> substrings_rows() {
  using S = SubstringsOptions;
  using Kind = OptionKind;
  return {
      row<S, &S::output>({.name = "output", .letter = 'o', .kind = Kind::folder, .unit = "DIR",
                          .default_text = "required", .help = "output folder", .recorded = Recorded::never,
                          .required = true}),
      row<S, &S::length>({.name = "length", .kind = Kind::number, .unit = "BYTES",
                          .help = "minimum length of a repeated range", .least = kMinSubstringLength,
                          .most = kMaxSubstringLength}),
      row<S, &S::min_count>({.name = "min_count", .kind = Kind::number, .unit = "N",
                             .help = "minimum number of occurrences", .least = 2}),
      choice_row<S, snap_names, &S::snap>({.name = "snap", .unit = "UNIT", .default_text = "none; utf8 with `apply`",
                                           .help = "shrink ranges to whole units"}),
      row<S, &S::groups>({.name = "groups", .help = "also list each repeated passage with its text and places"}),
      row<S, &S::apply>({.name = "apply", .help = "also write the documents without repeated ranges"}),
      row<S, &S::until_clean>({.name = "until_clean", .help = "with `apply`, repeat until nothing is left to cut"}),
      choice_row<S, keep_names, &S::keep>({.name = "keep", .unit = "COPY", .help = "which copy `apply` keeps"}),
      row<S, &S::text_csv>({.name = "text_csv", .kind = Kind::file, .unit = "FILE",
                            .help = "file whose lines are the documents, read as one string",
                            .recorded = Recorded::if_set, .faces = kCommandLine}),
      row<S, &S::ids>({.name = "ids", .kind = Kind::file, .unit = "FILE", .default_text = "0, 1, 2...",
                       .help = "file with the ids of those lines", .recorded = Recorded::if_set,
                       .faces = kCommandLine}),
      row<S, &S::force>({.name = "force", .help = "write into an existing folder", .recorded = Recorded::never}),
  };
}
// clang-format on

}  // namespace

template <>
std::span<const Option<SubstringsOptions>> option_table() {
  static const auto rows = substrings_rows();
  return rows;
}

}  // namespace refrain
