// Flags that say what is read, how it is fingerprinted, and how the program runs.
#include "faces/cli/table/choices.h"
#include "faces/cli/table/flag_rows.h"
#include "refrain/context.h"

namespace refrain::cli {

namespace {

// clang-format off
constexpr Flag kSharedFlags[] = {
    {.name = "memory", .kind = Kind::size, .metavar = "SIZE", .default_text = "half of the RAM",
     .description = "memory limit, e.g. 2G", .least = kMinMemoryBytes, .most = kAnyNumber,
     .verbs = kWorkers, .group = Group::run,
     .store = [](Settings& s, const Value& v) { s.memory = v.number; }},
    {.name = "threads", .kind = Kind::number, .metavar = "N", .default_text = "1 per core",
     .description = "threads, fewer if memory is low", .least = 1, .most = 1024,
     .verbs = Verb::dedup | Verb::near | Verb::fingerprint | Verb::text | Verb::match | Verb::substrings | Verb::ngrams_build | Verb::index_create |
              Verb::index_add | Verb::index_query | Verb::index_extract | Verb::index_blots | Verb::index_check |
              Verb::serve,
     .group = Group::run,
     .store = [](Settings& s, const Value& v) { s.threads = narrow(v); }},
    {.name = "temp-dir", .kind = Kind::folder, .metavar = "DIR", .default_text = "$TMPDIR or /tmp",
     .description = "folder for temporary files",
     .verbs = Verb::dedup | Verb::near | Verb::substrings | Verb::ngrams_build | Verb::ngrams_show | Verb::index_create |
              Verb::index_add | Verb::index_extract | Verb::index_check | Verb::library_merge | Verb::serve,
     .group = Group::run,
     .store = [](Settings& s, const Value& v) { s.temp_dir = v.text; }},
    {.name = "quiet", .letter = 'q', .default_text = "off", .description = "no progress, summary or warnings",
     .verbs = kWorkers | Verb::ngrams_lookup | Verb::ngrams_check, .group = Group::run,
     .store = [](Settings& s, const Value&) { s.quiet = true; }},
    {.name = "json", .default_text = "off", .description = "print the summary as JSON, on standard output",
     .verbs = Verb::dedup | Verb::near | Verb::substrings | Verb::ngrams_build | Verb::index_create | Verb::index_add |
              Verb::index_remove | Verb::index_merge | Verb::library_remove | Verb::library_merge,
     .group = Group::run,
     .store = [](Settings& s, const Value&) { s.json = true; }},
    {.name = "json", .default_text = "off", .description = "print a summary as JSON, on standard error",
     .verbs = Verb::fingerprint | Verb::text | Verb::match | Verb::ngrams_show | Verb::ngrams_lookup | kPassageVerbs | Verb::library_export, .group = Group::run,
     .store = [](Settings& s, const Value&) { s.json = true; }},
    {.name = "json", .default_text = "off", .description = "print the answer as one JSON object",
     .verbs = Verb::explain | Verb::ngrams_stats | Verb::ngrams_check | Verb::index_stats | Verb::index_check |
              Verb::library_stats | Verb::library_check | Verb::devices,
     .group = Group::run,
     .store = [](Settings& s, const Value&) { s.json = true; }},

    {.name = "help", .letter = 'h', .description = "print help and exit",
     .verbs = kAll, .group = Group::program,
     .store = [](Settings& s, const Value&) { s.help = true; }},
    {.name = "version", .letter = 'V', .description = "print the version and exit",
     .verbs = kAll, .group = Group::program,
     .store = [](Settings& s, const Value&) { s.version = true; }},
};
// clang-format on

}  // namespace

std::span<const Flag> shared_flags() {
  return kSharedFlags;
}

}  // namespace refrain::cli
