// Rows that the tables of several structs share: those of a tokenizer, of FingerprintOptions, of DocumentMatchOptions,
// and the format of written tables. Path leads from the struct to the member that they set.
#pragma once

#include <vector>

#include "refrain/dedup.h"
#include "refrain/fingerprint.h"
#include "refrain/tables.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/option_rows.h"

namespace refrain::verbs::run {

inline constexpr unsigned kAllFaces = kCommandLine | kPython | kSpark;

std::vector<std::string_view> normal_form_names();
std::vector<std::string_view> stop_word_lists();
// These throw Error(invalid_argument) if the tokenizer has no such variant.
void set_normal_form(TokenizerKind& tokenizer, bool nfkc);
void set_comments(TokenizerKind& tokenizer, bool comments);

template <class Options>
using Idle = std::string (*)(const Options&);

// Adds the rows at the end of `to`.
template <class Options>
void append(std::vector<Option<Options>>& to, std::vector<Option<Options>> rows) {
  to.insert(to.end(), rows.begin(), rows.end());
}

template <class Options>
Option<Options> tables_row() {
  return choice_row<Options, tables_names, &Options::tables>(
      {.name = "tables", .unit = "FORMAT", .help = "write the tables as", .recorded = Recorded::reported});
}

// clang-format off
template <class Options, auto... Path>
std::vector<Option<Options>> tokenizer_rows(OptionGroup group, Idle<Options> idle = nullptr) {
  return {
      {{.name = "tokenizer", .kind = OptionKind::choice, .unit = "NAME", .help = "one of",
        .choices = tokenizer_choices, .group = group, .faces = kAllFaces},
       [](Options& options, OptionValue&& value) {
         const auto tokenizer = static_cast<TokenizerKind>(std::get<std::uint64_t>(value));
         member<Path...>(options) = with_comments(tokenizer, false);
       },
       [](const Options& options) -> OptionValue { return std::string(name_of(member<Path...>(options))); }, idle},
      {{.name = "normalize", .kind = OptionKind::choice, .unit = "FORM", .help = "how words are compared",
        .choices = normal_form_names, .group = group, .recorded = Recorded::never},
       [](Options& options, OptionValue&& value) {
         set_normal_form(member<Path...>(options), std::get<std::uint64_t>(value) == 1);
       },
       [](const Options& options) -> OptionValue {
         return std::string(member<Path...>(options) == TokenizerKind::words_nfkc ? "nfkc" : "none");
       }, idle},
      {{.name = "comments", .help = "keep comments, with code and code-kinds", .group = group,
        .recorded = Recorded::never},
       [](Options& options, OptionValue&& value) { set_comments(member<Path...>(options), std::get<bool>(value)); },
       [](const Options&) -> OptionValue { return false; }, idle},
  };
}

// `seed_help` and `hash_faces` say for what the seed is used, and where the hash can be chosen.
template <class Options, auto... Path>
std::vector<Option<Options>> window_rows(std::string_view seed_help, unsigned hash_faces,
                                         Idle<Options> tokenizer_idle = nullptr, Idle<Options> idle = nullptr) {
  using F = FingerprintOptions;
  constexpr OptionGroup kGroup = OptionGroup::fingerprint;
  auto rows = tokenizer_rows<Options, Path..., &F::tokenizer>(kGroup, tokenizer_idle);
  append(rows, {
      choice_row<Options, hash_names, Path..., &F::hash>(
          {.name = "hash", .unit = "NAME", .help = "one of", .group = kGroup, .faces = hash_faces}),
      row<Options, Path..., &F::window>(
          {.name = "window", .kind = OptionKind::number, .unit = "TOKENS", .help = "tokens per window", .least = 1,
           .most = 1024, .group = kGroup, .faces = kAllFaces}, idle),
      row<Options, Path..., &F::seed>(
          {.name = "seed", .kind = OptionKind::number, .unit = "N", .help = seed_help, .group = kGroup,
           .faces = kAllFaces}, idle),
  });
  return rows;
}

// All of FingerprintOptions, with the presets.
template <class Options, auto... Path>
std::vector<Option<Options>> fingerprint_rows() {
  using F = FingerprintOptions;
  constexpr OptionGroup kGroup = OptionGroup::fingerprint;
  std::vector<Option<Options>> rows = {
      {{.name = "preset", .kind = OptionKind::choice, .unit = "NAME", .help = "defaults for the flags below",
        .choices = preset_names, .group = kGroup, .recorded = Recorded::never, .first = true},
       [](Options& options, OptionValue&& value) {
         member<Path...>(options) = preset(preset_names()[std::get<std::uint64_t>(value)])->fingerprint;
       },
       [](const Options&) -> OptionValue { return std::string(); }},
  };
  append(rows, window_rows<Options, Path...>("seed for xxh3 and jenkins", kCommandLine | kPython));
  append(rows, {
      {{.name = "tie", .kind = OptionKind::number, .unit = "BIT",
        .help = "value of a bit whose weights sum to zero", .most = 1, .group = kGroup},
       [](Options& options, OptionValue&& value) {
         member<Path..., &F::tie_sets_bit>(options) = std::get<std::uint64_t>(value) != 0;
       },
       [](const Options& options) -> OptionValue { return std::uint64_t{member<Path..., &F::tie_sets_bit>(options)}; }},
      {{.name = "stop_words", .kind = OptionKind::words, .unit = "FILE",
        .help = "words to ignore: a file, or english", .choices = stop_word_lists, .group = kGroup,
        .recorded = Recorded::never},
       [](Options& options, OptionValue&& value) {
         auto* words = std::get_if<std::vector<std::string>>(&value);
         member<Path..., &F::stop_words>(options) = words != nullptr ? std::move(*words) : english_stop_words();
       },
       [](const Options& options) -> OptionValue { return member<Path..., &F::stop_words>(options); }},
  });
  return rows;
}

// The options that decide which documents match.
template <class Options>
std::vector<Option<Options>> threshold_rows(const std::string& default_text = {}, Idle<Options> idle = nullptr) {
  return {
      row<Options, &Options::threshold>(
          {.name = "threshold", .kind = OptionKind::share, .unit = "SHARE", .default_text = default_text,
           .help = "minimum similarity", .faces = kAllFaces}, idle),
      {{.name = "max_loss", .kind = OptionKind::number, .unit = "TOKENS",
        .help = "tokens in a row that may be lost, auto or any", .most = kAutoLoss - 1,
        .number_words = {{"auto", kAutoLoss}, {"any", kAnyLoss}}, .faces = kAllFaces},
       [](Options& options, OptionValue&& value) {
         if (const auto* word = std::get_if<std::string>(&value))
           options.max_loss = *word == "auto" ? kAutoLoss : kAnyLoss;
         else
           assign(options.max_loss, std::move(value));
       },
       [](const Options& options) -> OptionValue {
         if (options.max_loss == kAutoLoss) return std::string("auto");
         if (options.max_loss == kAnyLoss) return std::string("any");
         return std::uint64_t{options.max_loss};
       }, idle},
  };
}

// How signatures are made and compared.
template <class Options>
std::vector<Option<Options>> signature_rows() {
  return {
      row<Options, &Options::recall>({.name = "recall", .kind = OptionKind::share, .unit = "SHARE",
                                      .help = "share of pairs at the threshold to be found", .faces = kSpark}),
      row<Options, &Options::lanes>({.name = "lanes", .kind = OptionKind::number, .unit = "N",
                                     .help = "lanes of a MinHash signature", .faces = kSpark}),
  };
}
// clang-format on

}  // namespace refrain::verbs::run
