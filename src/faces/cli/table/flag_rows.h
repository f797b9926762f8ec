// For the rows of the table of flags: sets of verbs, and rows that occur under several headings.
#pragma once

#include <cstdint>
#include <span>

#include "faces/cli/table/choices.h"
#include "faces/cli/table/flags.h"

namespace refrain::cli {

inline constexpr std::uint64_t kAnyUnsigned = ~0U;

inline constexpr VerbSet kFingerprintVerbs = Verb::near | Verb::fingerprint | Verb::explain;
// For these verbs, records get ordinals as ids unless a field is named.
inline constexpr VerbSet kIndexReaders = Verb::index_create | Verb::index_add | Verb::index_blots | Verb::index_query;
inline constexpr VerbSet kReaders =
    kFingerprintVerbs | Verb::text | Verb::dedup | Verb::substrings | Verb::ngrams_build | kIndexReaders;
inline constexpr VerbSet kPassageVerbs = Verb::index_query | Verb::index_extract;
inline constexpr VerbSet kWorkers = kReaders | kPassageVerbs | Verb::match | Verb::ngrams_show | Verb::index_remove |
                                    Verb::index_merge | Verb::index_check | Verb::library_check | Verb::library_merge |
                                    Verb::library_remove | Verb::library_export | Verb::serve;
inline constexpr VerbSet kAll = kWorkers | Verb::ngrams | Verb::ngrams_lookup | Verb::ngrams_stats |
                                Verb::ngrams_check | Verb::index | Verb::index_stats | Verb::library |
                                Verb::library_stats | Verb::devices | Verb::completion | Verb::man | Verb::help;

inline unsigned narrow(const Value& value) {
  return static_cast<unsigned>(value.number);
}

// Rows that several verbs have under different headings.
constexpr Flag tokenizer_flag(const VerbSet& verbs, Group group) {
  return {.name = "tokenizer",
          .kind = Kind::choice,
          .metavar = "NAME",
          .default_text = "words-nfkc",
          .description = "one of",
          .choices = tokenizer_choices,
          .verbs = verbs,
          .group = group,
          .store = [](Settings& s, const Value& v) { s.tokenizer = static_cast<TokenizerKind>(v.number); }};
}
constexpr Flag normalize_flag(const VerbSet& verbs, Group group) {
  return {.name = "normalize",
          .kind = Kind::choice,
          .metavar = "FORM",
          .default_text = "nfkc",
          .description = "how words are compared",
          .choices = normal_forms,
          .verbs = verbs,
          .group = group,
          .store = [](Settings& s, const Value& v) { s.normalize = v.number == 1; }};
}
constexpr Flag comments_flag(const VerbSet& verbs, Group group) {
  return {.name = "comments",
          .default_text = "off",
          .description = "keep comments, with code and code-kinds",
          .verbs = verbs,
          .group = group,
          .store = [](Settings& s, const Value&) { s.comments = true; }};
}

// Those of one verb or a few, those made from the tables of options, and those that say how the program runs.
std::span<const Flag> verb_flags();
std::span<const Flag> option_flags();
std::span<const Flag> shared_flags();

}  // namespace refrain::cli
