// The options of ngrams, as tables.
#include "refrain/options.h"

#include "verbs/run/fingerprint_rows.h"

namespace refrain {

namespace {

using verbs::run::append;
using verbs::run::choice_row;
using verbs::run::row;
using Kind = OptionKind;

// clang-format off
std::vector<Option<NgramsOptions>> ngrams_rows() {
  using N = NgramsOptions;
  std::vector<Option<N>> rows = {
      row<N, &N::output>({.name = "output", .letter = 'o', .kind = Kind::folder, .unit = "INDEX",
                          .default_text = "required", .help = "output folder for the index",
                          .recorded = Recorded::never, .required = true}),
      row<N, &N::n>({.name = "n", .letter = 'n', .kind = Kind::number, .unit = "TOKENS", .help = "tokens per n-gram",
                     .least = 1, .most = kMaxNgramTokens}),
      row<N, &N::m>({.name = "m", .letter = 'm', .kind = Kind::number, .unit = "COUNT",
                     .help = "minimum number of occurrences of an n-gram", .least = 2,
                     .most = std::numeric_limits<unsigned>::max()}),
  };
  append(rows, verbs::run::tokenizer_rows<N, &N::tokenizer>(OptionGroup::verb));
  append(rows, {
      choice_row<N, ngram_algorithm_names, &N::algorithm>(
          {.name = "algorithm", .unit = "NAME", .help = "changes time and space, not the result",
           .recorded = Recorded::never}),
      row<N, &N::force>({.name = "force", .help = "write into an existing folder", .recorded = Recorded::never}),
  });
  return rows;
}

std::vector<Option<NgramsShowOptions>> ngrams_show_rows() {
  using S = NgramsShowOptions;
  return {
      choice_row<S, ngram_sort_names, &S::sort>({.name = "sort", .unit = "ORDER", .help = "one of"}),
      row<S, &S::limit>({.name = "limit", .kind = Kind::number, .unit = "K", .default_text = "all",
                         .help = "print only the first K rows"}),
  };
}
// clang-format on

}  // namespace

template <>
std::span<const Option<NgramsOptions>> option_table() {
  static const auto rows = ngrams_rows();
  return rows;
}

template <>
std::span<const Option<NgramsShowOptions>> option_table() {
  static const auto rows = ngrams_show_rows();
  return rows;
}

}  // namespace refrain
