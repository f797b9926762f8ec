// For the rows of the table of flags: sets of verbs.
#pragma once

#include <cstdint>
#include <span>

#include "faces/cli/table/flags.h"

namespace refrain::cli {

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
                                Verb::library_stats | Verb::overrides | Verb::overrides_check | Verb::overrides_merge |
                                Verb::devices | Verb::completion | Verb::man | Verb::help;

// Those made from the tables of options, and the others.
std::span<const Flag> option_flags();
std::span<const Flag> plain_flags();

}  // namespace refrain::cli
