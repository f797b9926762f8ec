// The flags that are no options of the library.
#include "faces/cli/table/flag_rows.h"

namespace refrain::cli {

namespace {

// In the order of Rows. Not all verbs have tsv.
std::vector<std::string_view> passage_rows_names() {
  return {"jsonl", "text", "tsv"};
}
std::vector<std::string_view> rows_names() {
  return {"jsonl", "text"};
}

// clang-format off
constexpr Flag kPlainFlags[] = {
    {.name = "ids", .kind = Kind::file, .metavar = "FILE", .default_text = "none",
     .description = "file with more ids, one per line; - is standard input",
     .verbs = Verb::index_remove | Verb::library_remove, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.ids = v.text; }},
    {.name = "source", .kind = Kind::text, .metavar = "NAME", .default_text = "none",
     .description = "remove all documents of this source; may be repeated",
     .verbs = set_of(Verb::library_remove), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.sources.emplace_back(v.text); }},
    {.name = "output", .kind = Kind::choice, .metavar = "FORM", .default_text = "jsonl",
     .description = "output format", .choices = passage_rows_names,
     .verbs = kPassageVerbs, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.rows = static_cast<Rows>(v.number); }},
    {.name = "output", .kind = Kind::choice, .metavar = "FORM", .default_text = "jsonl",
     .description = "output format", .choices = rows_names,
     .verbs = set_of(Verb::index_blots), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.rows = static_cast<Rows>(v.number); }},
    {.name = "no-text", .default_text = "off", .description = "leave out the texts of passages",
     .verbs = kPassageVerbs, .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.no_text = true; }},
    {.name = "raw", .default_text = "off", .description = "list candidate blots and their documents, uncompared",
     .verbs = kPassageVerbs, .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.raw = true; }},
    {.name = "repair", .default_text = "off", .description = "rebuild damaged parts from the texts",
     .verbs = set_of(Verb::index_check), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.repair = true; }},
    {.name = "repair", .default_text = "off", .description = "drop damaged records of texts kept in the library",
     .verbs = set_of(Verb::library_check), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.repair = true; }},
    {.name = "token-file", .kind = Kind::file, .metavar = "FILE", .default_text = "none",
     .description = "file with the token; required to write, and to listen beyond loopback",
     .verbs = set_of(Verb::serve), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.token_file = v.text; }},
    {.name = "in", .kind = Kind::file, .metavar = "INPUT", .default_text = "none",
     .description = "file, folder or - that contains A and B; may be repeated",
     .verbs = set_of(Verb::explain), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.in.emplace_back(v.text); }},
    {.name = "run", .kind = Kind::folder, .metavar = "DIR", .default_text = "none",
     .description = "output folder of the dedup run",
     .verbs = set_of(Verb::explain), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.run = v.text; }},
    {.name = "run", .kind = Kind::folder, .metavar = "DIR", .default_text = "required",
     .description = "output folder of the dedup run",
     .verbs = set_of(Verb::overrides_check), .group = Group::verb, .required = true,
     .store = [](Settings& s, const Value& v) { s.run = v.text; }},
    {.name = "output", .letter = 'o', .kind = Kind::file, .metavar = "FILE", .default_text = "standard output",
     .description = "new file for the merged lines",
     .verbs = set_of(Verb::overrides_merge), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.output = v.text; }},
    {.name = "quiet", .letter = 'q', .default_text = "off", .description = "no progress, summary or warnings",
     .verbs = kWorkers | Verb::ngrams_lookup | Verb::ngrams_check, .group = Group::run,
     .store = [](Settings& s, const Value&) { s.quiet = true; }},
    {.name = "json", .default_text = "off", .description = "print the summary as JSON, on standard output",
     .verbs = Verb::dedup | Verb::near | Verb::substrings | Verb::ngrams_build | Verb::index_create | Verb::index_add |
              Verb::index_remove | Verb::index_merge | Verb::library_remove | Verb::library_merge,
     .group = Group::run,
     .store = [](Settings& s, const Value&) { s.json = true; }},
    {.name = "json", .default_text = "off", .description = "print a summary as JSON, on standard error",
     .verbs = Verb::fingerprint | Verb::text | Verb::match | Verb::ngrams_show | Verb::ngrams_lookup | kPassageVerbs |
              Verb::library_export,
     .group = Group::run,
     .store = [](Settings& s, const Value&) { s.json = true; }},
    {.name = "json", .default_text = "off", .description = "print the answer as one JSON object",
     .verbs = Verb::explain | Verb::ngrams_stats | Verb::ngrams_check | Verb::index_stats | Verb::index_check |
              Verb::library_stats | Verb::library_check | Verb::overrides_check | Verb::devices,
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

std::span<const Flag> plain_flags() {
  return kPlainFlags;
}

}  // namespace refrain::cli
