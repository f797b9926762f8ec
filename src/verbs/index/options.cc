// The options of an index, as tables.
#include "refrain/options.h"

#include "verbs/run/fingerprint_rows.h"

namespace refrain {

namespace {

using verbs::run::append;
using verbs::run::assign;
using verbs::run::choice_row;
using verbs::run::row;
using Kind = OptionKind;

constexpr unsigned kQueryFaces = kCommandLine | kPython | kServer;

std::string without_heavy(const ExtractOptions& options) {
  return options.limits.edits == Edits::heavy ? "" : "without `edits` heavy";
}

// clang-format off
std::vector<Option<IndexLayout>> layout_rows() {
  using L = IndexLayout;
  auto rows = verbs::run::tokenizer_rows<L, &L::tokenizer>(OptionGroup::verb);
  append(rows, {
      row<L, &L::window>({.name = "window", .kind = Kind::number, .unit = "TOKENS",
                          .help = "exact runs of this many tokens are always found", .least = 2,
                          .most = kMaxBlotWindow}),
      choice_row<L, blot_kind_names, &L::blots>({.name = "blots", .unit = "KIND", .help = "how a window is hashed"}),
      {{.name = "sampling", .kind = Kind::choice, .unit = "WAY",
        .help = "which windows of TOKENS/2+1 tokens are used", .choices = blot_sampling_names},
       [](L& layout, OptionValue&& value) {
         assign(layout.sampling, std::move(value));
         if (layout.interleave > 1 && layout.sampling != BlotSampling::all)
           throw Error(Errc::invalid_argument, "`interleave`: above 1 requires `sampling` all; remove `sampling`");
       },
       [](const L& layout) -> OptionValue {
         return std::string(blot_sampling_names()[static_cast<std::size_t>(layout.sampling)]);
       }},
      {{.name = "interleave", .kind = Kind::number, .unit = "I",
        .help = "windows take every I-th token; above 1 implies `sampling` all", .least = 1, .most = kMaxInterleave,
        .first = true},
       [](L& layout, OptionValue&& value) {
         assign(layout.interleave, std::move(value));
         if (layout.interleave > 1) layout.sampling = BlotSampling::all;
       },
       [](const L& layout) -> OptionValue { return std::uint64_t{layout.interleave}; }},
      row<L, &L::blot_bits>({.name = "blot_bits", .kind = Kind::number, .unit = "BITS",
                             .default_text = "depends on input size", .help = "bits per blot", .least = kMinBlotBits,
                             .most = kMaxBlotBits}),
      row<L, &L::shards>({.name = "shards", .kind = Kind::number, .unit = "FILES",
                          .help = "number of files for the posts, a power of two", .least = 1, .most = kMaxShards}),
      row<L, &L::store_text>({.name = "store_text", .help = "keep compressed copies of the texts"}),
      {{.name = "edits", .kind = Kind::choice, .unit = "HOW",
        .help = "what queries can ask for; less makes a smaller index", .choices = edits_names},
       [](L& layout, OptionValue&& value) {
         layout.pairs = static_cast<Edits>(std::get<std::uint64_t>(value)) == Edits::heavy;
       },
       [](const L& layout) -> OptionValue { return std::string(layout.pairs ? "heavy" : "light"); }},
  });
  return rows;
}

std::vector<Option<IndexAddOptions>> add_rows() {
  return {row<IndexAddOptions, &IndexAddOptions::replace>(
      {.name = "replace", .help = "replace documents that have the same ids"})};
}

// The limit on documents is a row of its own, because BlotsOptions has it, too.
template <class Options, auto... Path>
Option<Options> max_documents_row() {
  return row<Options, Path...>({.name = "max_documents", .kind = Kind::number, .unit = "N",
                                .help = "skip blots in more than N documents, 0 for no limit", .faces = kQueryFaces});
}
template <class Options, auto... Path>
Option<Options> min_documents_row() {
  return row<Options, Path...>({.name = "min_documents", .kind = Kind::number, .unit = "N",
                                .help = "print only what is in at least N documents", .least = 1});
}
template <class Options, auto... Path>
Option<Options> limit_row() {
  return row<Options, Path...>({.name = "limit", .kind = Kind::number, .unit = "K",
                                .help = "maximum number of rows, 0 for all"});
}

template <class Options>
std::vector<Option<Options>> passage_rows(const std::string& default_gap, std::string (*noise_idle)(const Options&)) {
  using L = PassageLimits;
  constexpr auto kLimits = &Options::limits;
  return {
      row<Options, kLimits, &L::min_tokens>({.name = "min_tokens", .kind = Kind::number, .unit = "TOKENS",
                                             .default_text = "the index's window",
                                             .help = "minimum number of matching tokens in a passage", .least = 1,
                                             .faces = kQueryFaces}),
      choice_row<Options, edits_names, kLimits, &L::edits>({.name = "edits", .unit = "HOW",
                                                            .help = "how much a passage may have been edited",
                                                            .faces = kQueryFaces}),
      row<Options, kLimits, &L::noise>({.name = "noise", .kind = Kind::share, .unit = "SHARE",
                                        .help = "share of the words of a passage that may differ",
                                        .faces = kQueryFaces}, noise_idle),
      row<Options, kLimits, &L::max_gap>({.name = "max_gap", .kind = Kind::number, .unit = "TOKENS",
                                          .default_text = default_gap,
                                          .help = "maximum run of differing tokens inside a passage", .most = 1024,
                                          .faces = kQueryFaces}),
      max_documents_row<Options, kLimits, &L::max_documents>(),
      row<Options, kLimits, &L::exclude>({.name = "exclude_texts", .python = "exclude", .kind = Kind::text,
                                          .unit = "TEXT", .help = "ignore passages contained in this text",
                                          .faces = kPython | kServer, .repeated = true}),
      row<Options, kLimits, &L::exclude_files>({.name = "exclude", .kind = Kind::file, .unit = "FILE",
                                                .help = "ignore passages contained in this file; may be repeated",
                                                .faces = kCommandLine, .repeated = true}),
  };
}

std::vector<Option<QueryOptions>> query_rows() {
  using Q = QueryOptions;
  std::vector<Option<Q>> rows = {
      {{.name = "limit", .kind = Kind::number, .unit = "K",
        .help = "maximum number of passages per document, 0 for all", .faces = kQueryFaces, .first = true},
       [](Q& query, OptionValue&& value) {
         assign(query.limit, std::move(value));
         query.max_occurrences = default_max_occurrences(query.limit);
       },
       [](const Q& query) -> OptionValue { return query.limit; }},
      row<Q, &Q::id>({.name = "id", .kind = Kind::text, .unit = "ID",
                      .help = "query with this document of the index instead of files", .faces = kCommandLine}),
      row<Q, &Q::self>({.name = "self",
                        .help = "query with the documents of the index, each against those added after it",
                        .faces = kCommandLine}),
      row<Q, &Q::with>({.name = "with", .python = "with_", .kind = Kind::text, .unit = "ID", .default_text = "all",
                        .help = "compare only with this document; may be repeated",
                        .faces = kQueryFaces, .repeated = true}),
      row<Q, &Q::pairs_file>({.name = "pairs", .kind = Kind::file, .unit = "FILE", .default_text = "all",
                              .help = "compare only these: rows of query id, tab, document id"}),
  };
  append(rows, passage_rows<Q>("40", nullptr));
  append(rows, {
      row<Q, &Q::max_occurrences>({.name = "max_occurrences", .kind = Kind::number, .unit = "N",
                                   .default_text = fmt::format("{}, with `limit` 0 {}", default_max_occurrences(1),
                                                               default_max_occurrences(0)),
                                   .help = "maximum number of places per passage, 0 for all", .faces = kQueryFaces}),
      row<Q, &Q::cursor>({.name = "cursor", .kind = Kind::text, .unit = "CURSOR",
                          .help = "continue the same query from this cursor", .faces = kQueryFaces}),
  });
  return rows;
}

std::vector<Option<ExtractOptions>> extract_rows() {
  using E = ExtractOptions;
  std::vector<Option<E>> rows = {limit_row<E, &E::limit>(), min_documents_row<E, &E::min_documents>()};
  append(rows, passage_rows<E>("8, heavy edits 40", without_heavy));
  return rows;
}

std::vector<Option<BlotsOptions>> blots_rows() {
  using B = BlotsOptions;
  return {
      limit_row<B, &B::limit>(),
      min_documents_row<B, &B::min_documents>(),
      max_documents_row<B, &B::max_documents>(),
      row<B, &B::unblot>({.name = "unblot", .kind = Kind::text, .unit = "HEX",
                          .help = "show the text behind this blot; may be repeated", .repeated = true}),
  };
}
// clang-format on

}  // namespace

template <>
std::span<const Option<IndexLayout>> option_table() {
  static const auto rows = layout_rows();
  return rows;
}

template <>
std::span<const Option<IndexAddOptions>> option_table() {
  static const auto rows = add_rows();
  return rows;
}

template <>
std::span<const Option<QueryOptions>> option_table() {
  static const auto rows = query_rows();
  return rows;
}

template <>
std::span<const Option<ExtractOptions>> option_table() {
  static const auto rows = extract_rows();
  return rows;
}

template <>
std::span<const Option<BlotsOptions>> option_table() {
  static const auto rows = blots_rows();
  return rows;
}

}  // namespace refrain
