#include "cli/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "cli/numbers.h"
#include "refrain/context.h"

namespace refrain::cli {

namespace {

constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kAnyUnsigned = std::numeric_limits<unsigned>::max();

constexpr VerbSet kHashers = Verb::near | Verb::fingerprint | Verb::explain;
constexpr VerbSet kReaders = kHashers | Verb::dedup | Verb::substrings | Verb::ngrams_build | Verb::index_create |
                             Verb::index_add | Verb::index_blots;
constexpr VerbSet kAskers = Verb::index_query | Verb::index_extract;
constexpr VerbSet kWorkers = kReaders | kAskers | Verb::match | Verb::ngrams_show | Verb::index_remove |
                             Verb::index_merge | Verb::index_check | Verb::serve;
constexpr VerbSet kAll = kWorkers | Verb::ngrams | Verb::ngrams_lookup | Verb::ngrams_stats | Verb::ngrams_check |
                         Verb::index | Verb::index_stats | Verb::completion | Verb::man | Verb::help;

// In the order of Format, less `automatic`.
std::vector<std::string_view> format_names() {
  return {"files", "lines", "jsonl", "csv", "tsv", "warc", "parquet"};
}
// In the order of Snap and of Keep.
std::vector<std::string_view> snap_names() {
  return {"none", "utf8", "word", "line"};
}
std::vector<std::string_view> keep_names() {
  return {"first", "none"};
}
// In the order of Rows.
std::vector<std::string_view> rows_names() {
  return {"json", "text"};
}
std::vector<std::string_view> stop_word_lists() {
  return {"english"};
}

unsigned narrow(const Value& value) {
  return static_cast<unsigned>(value.number);
}

// In the order of AgainstAction.
std::vector<std::string_view> action_names() {
  return {"remove", "mark"};
}
std::vector<std::string_view> on_off() {
  return {"on", "off"};
}
// In the order of NearMethod.
std::vector<std::string_view> near_names() {
  return {"minhash", "simhash", "off"};
}

// clang-format off
constexpr Flag kFlags[] = {
    {.name = "output", .letter = 'o', .kind = Kind::folder, .metavar = "DIR", .default_text = "required",
     .description = "folder to make for the results",
     .verbs = Verb::dedup | Verb::near | Verb::substrings, .group = Group::verb, .required = true,
     .store = [](Settings& s, const Value& v) { s.output = v.text; }},
    {.name = "output", .letter = 'o', .kind = Kind::folder, .metavar = "INDEX", .default_text = "required",
     .description = "folder to make for the index",
     .verbs = set_of(Verb::ngrams_build), .group = Group::verb, .required = true,
     .store = [](Settings& s, const Value& v) { s.output = v.text; }},
    {.name = "n", .letter = 'n', .kind = Kind::number, .metavar = "TOKENS", .default_text = "8",
     .description = "tokens an n-gram", .least = 1, .most = kMaxNgramTokens,
     .verbs = set_of(Verb::ngrams_build), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.n = narrow(v); }},
    {.name = "m", .letter = 'm', .kind = Kind::number, .metavar = "PLACES", .default_text = "2",
     .description = "fewest places of an n-gram that counts", .least = 2, .most = kAnyUnsigned,
     .verbs = set_of(Verb::ngrams_build), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.m = narrow(v); }},
    {.name = "tokenizer", .kind = Kind::choice, .metavar = "NAME", .default_text = "words",
     .description = "one of", .choices = tokenizer_names,
     .verbs = Verb::ngrams_build | Verb::index_create | Verb::index_blots, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.tokenizer = static_cast<TokenizerKind>(v.number); }},
    {.name = "algorithm", .kind = Kind::choice, .metavar = "NAME", .default_text = "auto",
     .description = "how, for time and space only", .choices = ngram_algorithm_names,
     .verbs = set_of(Verb::ngrams_build), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.algorithm = static_cast<NgramAlgorithm>(v.number); }},
    {.name = "sort", .kind = Kind::choice, .metavar = "ORDER", .default_text = "count",
     .description = "one of", .choices = ngram_sort_names,
     .verbs = set_of(Verb::ngrams_show), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.sort = static_cast<NgramSort>(v.number); }},
    {.name = "limit", .kind = Kind::number, .metavar = "K", .default_text = "all",
     .description = "only the first K rows", .least = 0, .most = kAnyNumber,
     .verbs = set_of(Verb::ngrams_show), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.limit = v.number; }},
    {.name = "limit", .kind = Kind::number, .metavar = "K", .default_text = "20",
     .description = "most passages to print; 0: all", .least = 0, .most = kAnyNumber,
     .verbs = set_of(Verb::index_query), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.limit = v.number; }},
    {.name = "limit", .kind = Kind::number, .metavar = "K", .default_text = "0: all",
     .description = "most rows to print", .least = 0, .most = kAnyNumber,
     .verbs = Verb::index_extract | Verb::index_blots, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.limit = v.number; }},
    {.name = "window", .kind = Kind::number, .metavar = "TOKENS", .default_text = "10",
     .description = "an exact run of so many is always found", .least = 2, .most = kMaxBlotWindow,
     .verbs = Verb::index_create | Verb::index_blots, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.window = narrow(v); }},
    {.name = "blots", .kind = Kind::choice, .metavar = "KIND", .default_text = "ordered",
     .description = "how a window is hashed", .choices = blot_kind_names,
     .verbs = Verb::index_create | Verb::index_blots, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.blots = static_cast<BlotKind>(v.number); }},
    {.name = "sampling", .kind = Kind::choice, .metavar = "WAY", .default_text = "syncmer",
     .description = "which windows count", .choices = blot_sampling_names,
     .verbs = Verb::index_create | Verb::index_blots, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.sampling = static_cast<BlotSampling>(v.number); }},
    {.name = "interleave", .kind = Kind::number, .metavar = "I", .default_text = "1",
     .description = "a window takes every I-th token; above 1 implies --sampling all", .least = 1,
     .most = kMaxInterleave,
     .verbs = Verb::index_create | Verb::index_blots, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.interleave = narrow(v); }},
    {.name = "blot-bits", .kind = Kind::number, .metavar = "BITS", .default_text = "from the size of the input",
     .description = "of a blot", .least = kMinBlotBits, .most = kMaxBlotBits,
     .verbs = set_of(Verb::index_create), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.blot_bits = narrow(v); }},
    {.name = "blot-bits", .kind = Kind::number, .metavar = "BITS", .default_text = "64",
     .description = "of a blot", .least = kMinBlotBits, .most = kMaxBlotBits,
     .verbs = set_of(Verb::index_blots), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.blot_bits = narrow(v); }},
    {.name = "shards", .kind = Kind::number, .metavar = "FILES", .default_text = "1",
     .description = "files that the posts are spread over, a power of two", .least = 1, .most = kMaxShards,
     .verbs = set_of(Verb::index_create), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.shards = narrow(v); }},
    {.name = "store-text", .default_text = "off", .description = "keep the texts too, packed",
     .verbs = set_of(Verb::index_create), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.store_text = true; }},
    {.name = "replace", .default_text = "off", .description = "take the place of documents with the same ids",
     .verbs = set_of(Verb::index_add), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.replace = true; }},
    {.name = "ids", .kind = Kind::file, .metavar = "FILE", .default_text = "none",
     .description = "more ids, one a line; - is standard input",
     .verbs = set_of(Verb::index_remove), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.ids = v.text; }},
    {.name = "id", .kind = Kind::text, .metavar = "ID", .default_text = "none",
     .description = "ask about this document of the index, not about files",
     .verbs = set_of(Verb::index_query), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.id = v.text; }},
    {.name = "min-tokens", .kind = Kind::number, .metavar = "TOKENS", .default_text = "the index's window",
     .description = "fewest that must agree in a passage", .least = 1, .most = kAnyNumber,
     .verbs = kAskers, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.min_tokens = v.number; }},
    {.name = "max-gap", .kind = Kind::number, .metavar = "TOKENS", .default_text = "8",
     .description = "most in a row that may differ inside a passage", .least = 0, .most = 1024,
     .verbs = kAskers, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.max_gap = narrow(v); }},
    {.name = "min-documents", .kind = Kind::number, .metavar = "N", .default_text = "2",
     .description = "fewest that must hold what is printed", .least = 1, .most = kAnyNumber,
     .verbs = Verb::index_extract | Verb::index_blots, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.min_documents = v.number; }},
    {.name = "max-documents", .kind = Kind::number, .metavar = "N", .default_text = "0: any number",
     .description = "blots in more documents are passed over", .least = 0, .most = kAnyNumber,
     .verbs = kAskers | Verb::index_blots, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.max_documents = v.number; }},
    {.name = "max-occurrences", .kind = Kind::number, .metavar = "N", .default_text = "20",
     .description = "most places a passage; 0: all", .least = 0, .most = kAnyNumber,
     .verbs = set_of(Verb::index_query), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.max_occurrences = v.number; }},
    {.name = "exclude", .kind = Kind::file, .metavar = "FILE", .default_text = "none",
     .description = "leave out passages of this text; may be repeated",
     .verbs = kAskers, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.exclude.emplace_back(v.text); }},
    {.name = "cursor", .kind = Kind::text, .metavar = "CURSOR", .default_text = "none",
     .description = "go on where the same query stopped",
     .verbs = set_of(Verb::index_query), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.cursor = v.text; }},
    {.name = "output", .kind = Kind::choice, .metavar = "FORM", .default_text = "json",
     .description = "rows for machines or for people", .choices = rows_names,
     .verbs = kAskers | Verb::index_blots, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.rows = static_cast<Rows>(v.number); }},
    {.name = "raw", .default_text = "off", .description = "blots and their documents, nothing compared",
     .verbs = kAskers, .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.raw = true; }},
    {.name = "unblot", .kind = Kind::text, .metavar = "HEX", .default_text = "none",
     .description = "show the text behind this blot; may be repeated",
     .verbs = set_of(Verb::index_blots), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.unblot.emplace_back(v.text); }},
    {.name = "repair", .default_text = "off", .description = "make anew what is damaged, from the texts",
     .verbs = set_of(Verb::index_check), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.repair = true; }},
    {.name = "listen", .kind = Kind::text, .metavar = "HOST:PORT", .default_text = "127.0.0.1:7878",
     .description = "where to listen; port 0: any that is free",
     .verbs = set_of(Verb::serve), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.listen = v.text; }},
    {.name = "token-file", .kind = Kind::file, .metavar = "FILE", .default_text = "none",
     .description = "holds the token that is needed to write, and to listen elsewhere than on loopback",
     .verbs = set_of(Verb::serve), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.token_file = v.text; }},
    {.name = "max-connections", .kind = Kind::number, .metavar = "N", .default_text = "2048",
     .description = "more are turned away", .least = 1, .most = 65536,
     .verbs = set_of(Verb::serve), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.max_connections = narrow(v); }},
    {.name = "distance", .kind = Kind::number, .metavar = "BITS", .default_text = "3, or the preset's",
     .description = "most bits that may differ", .least = 0, .most = 63,
     .verbs = Verb::near | Verb::explain, .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.distance = narrow(v); }},
    {.name = "distance", .kind = Kind::number, .metavar = "BITS", .default_text = "3",
     .description = "most bits that may differ", .least = 0, .most = 63,
     .verbs = set_of(Verb::match), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.distance = narrow(v); }},
    {.name = "blocks", .kind = Kind::number, .metavar = "M", .default_text = "chosen",
     .description = "blocks of the join: for speed only", .least = 2, .most = 64,
     .verbs = set_of(Verb::near), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.blocks = narrow(v); }},
    {.name = "all-pairs", .default_text = "off", .description = "also pair all equal fingerprints with each other",
     .verbs = set_of(Verb::near), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.all_pairs = true; }},
    {.name = "length", .kind = Kind::number, .metavar = "BYTES", .default_text = "100",
     .description = "bytes that must be equal", .least = kMinSubstringLength, .most = kMaxSubstringLength,
     .verbs = set_of(Verb::substrings), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.length = v.number; }},
    {.name = "min-count", .kind = Kind::number, .metavar = "N", .default_text = "2",
     .description = "occurrences that count as repeated", .least = 2, .most = kAnyNumber,
     .verbs = set_of(Verb::substrings), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.min_count = v.number; }},
    {.name = "snap", .kind = Kind::choice, .metavar = "UNIT", .default_text = "none; utf8 with --apply",
     .description = "what no range may cut in two: one of", .choices = snap_names,
     .verbs = set_of(Verb::substrings), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.snap = static_cast<Snap>(v.number); }},
    {.name = "groups", .default_text = "off", .description = "also list each passage with its text and its places",
     .verbs = set_of(Verb::substrings), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.groups = true; }},
    {.name = "exact", .kind = Kind::choice, .metavar = "ON", .default_text = "on",
     .description = "remove exact copies", .choices = on_off,
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.exact = v.number == 0; }},
    {.name = "near", .kind = Kind::choice, .metavar = "METHOD", .default_text = "minhash",
     .description = "how similar ones are found", .choices = near_names,
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.near = static_cast<NearMethod>(v.number); }},
    {.name = "preset", .kind = Kind::choice, .metavar = "NAME", .default_text = "none",
     .description = "sets other flags, unless given", .choices = dedup_preset_names,
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.preset = v.text; }},
    {.name = "distance", .kind = Kind::number, .metavar = "BITS", .default_text = "3",
     .description = "simhash: most bits that may differ", .least = 0, .most = 63,
     .verbs = set_of(Verb::dedup), .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.distance = narrow(v); }},
    {.name = "substrings", .kind = Kind::number, .metavar = "BYTES", .default_text = "0: off",
     .description = "cut repeated ranges of so many bytes out of what is kept", .least = 0, .most = kMaxSubstringLength,
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.length = v.number; }},
    {.name = "threshold", .kind = Kind::share, .metavar = "SHARE", .default_text = "0.8; simhash 0.5",
     .description = "similarity from which on documents match",
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.threshold = v.share; }},
    {.name = "window", .kind = Kind::number, .metavar = "TOKENS", .default_text = "5",
     .description = "tokens a window", .least = 1, .most = 1024,
     .verbs = set_of(Verb::dedup), .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.window = narrow(v); }},
    {.name = "tokenizer", .kind = Kind::choice, .metavar = "NAME", .default_text = "words",
     .description = "one of", .choices = tokenizer_names,
     .verbs = set_of(Verb::dedup), .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.tokenizer = static_cast<TokenizerKind>(v.number); }},
    {.name = "against", .kind = Kind::file, .metavar = "INPUT", .default_text = "none",
     .description = "drop what holds an item of this set",
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.against.emplace_back(v.text); }},
    {.name = "keep", .kind = Kind::text, .metavar = "POLICY", .default_text = "first",
     .description = "first, longest, shortest, newest:FIELD, max:FIELD, min:FIELD or source:A,B,..",
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.policy = parse_keep_policy(v.text); }},
    {.name = "source-field", .kind = Kind::text, .metavar = "NAME", .default_text = "none: the file",
     .description = "field that names a document's source",
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.source_field = v.text; }},
    {.name = "alarm", .kind = Kind::share, .metavar = "SHARE", .default_text = "50%",
     .description = "name sources that lose more than that",
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.alarm = v.share; }},
    {.name = "max-removed-per-source", .kind = Kind::share, .metavar = "SHARE", .default_text = "100%",
     .description = "stop, before anything is written, where one would lose more",
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.max_removed_per_source = v.share; }},
    {.name = "sample", .kind = Kind::number, .metavar = "N", .default_text = "2000",
     .description = "documents that the run checks itself on", .least = 0, .most = kAnyNumber,
     .verbs = set_of(Verb::dedup), .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.sample = v.number; }},
    {.name = "seed", .kind = Kind::number, .metavar = "N", .default_text = "0",
     .description = "of the hashes and the sample", .least = 0, .most = kAnyNumber,
     .verbs = set_of(Verb::dedup), .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.seed = v.number; }},
    {.name = "apply", .default_text = "off", .description = "also write the clean corpus",
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.apply = true; }},
    {.name = "annotate", .default_text = "off", .description = "also write the input with what was decided added",
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.annotate = true; }},
    {.name = "resume", .default_text = "off", .description = "go on with a run that was interrupted",
     .verbs = set_of(Verb::dedup), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.resume = true; }},
    {.name = "apply", .default_text = "off", .description = "also write the documents without what is repeated",
     .verbs = set_of(Verb::substrings), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.apply = true; }},
    {.name = "keep", .kind = Kind::choice, .metavar = "COPY", .default_text = "first",
     .description = "which copy --apply leaves: one of", .choices = keep_names,
     .verbs = set_of(Verb::substrings), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.keep = static_cast<Keep>(v.number); }},
    {.name = "text-csv", .kind = Kind::file, .metavar = "FILE", .default_text = "none",
     .description = "lines that are documents, as one string",
     .verbs = set_of(Verb::substrings), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.text_csv = v.text; }},
    {.name = "ids", .kind = Kind::file, .metavar = "FILE", .default_text = "none: 0, 1, 2...",
     .description = "the ids of those lines",
     .verbs = set_of(Verb::substrings), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.ids = v.text; }},
    {.name = "force", .default_text = "off", .description = "write into a folder that exists",
     .verbs = Verb::dedup | Verb::near | Verb::substrings | Verb::ngrams_build, .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.force = true; }},
    {.name = "all", .default_text = "off", .description = "a row for every match, not only for the best",
     .verbs = set_of(Verb::match), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.all = true; }},
    {.name = "add", .default_text = "off", .description = "add each query to STORED once it is answered",
     .verbs = set_of(Verb::match), .group = Group::verb,
     .store = [](Settings& s, const Value&) { s.add = true; }},
    {.name = "in", .kind = Kind::file, .metavar = "INPUT", .default_text = "none",
     .description = "file, folder or - that holds documents A and B; may be repeated",
     .verbs = set_of(Verb::explain), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.in.emplace_back(v.text); }},
    {.name = "run", .kind = Kind::folder, .metavar = "DIR", .default_text = "none",
     .description = "folder of a dedup run that document ID went through",
     .verbs = set_of(Verb::explain), .group = Group::verb,
     .store = [](Settings& s, const Value& v) { s.run = v.text; }},

    {.name = "format", .kind = Kind::choice, .metavar = "NAME", .default_text = "by file name",
     .description = "one of", .choices = format_names,
     .verbs = kReaders, .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.format = static_cast<Format>(v.number + 1); }},
    {.name = "text-field", .kind = Kind::text, .metavar = "NAME", .default_text = "text",
     .description = "field or column that holds the text",
     .verbs = kReaders, .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.text_field = v.text; }},
    {.name = "id-field", .kind = Kind::text, .metavar = "NAME", .default_text = "none: 0, 1, 2...",
     .description = "field, column or WARC header that holds the id",
     .verbs = kReaders, .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.id_field = v.text; }},
    {.name = "against-share", .kind = Kind::share, .metavar = "SHARE", .default_text = "0.8",
     .description = "of the tokens of an item of the other set that must agree, in order",
     .verbs = set_of(Verb::dedup), .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.against_share = v.share; }},
    {.name = "against-passage", .kind = Kind::number, .metavar = "TOKENS", .default_text = "50",
     .description = "tokens in a row of an item of the other set that suffice", .least = 8, .most = 4096,
     .verbs = set_of(Verb::dedup), .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.against_passage = v.number; }},
    {.name = "against-min", .kind = Kind::number, .metavar = "TOKENS", .default_text = "8",
     .description = "shorter items of the other set are not looked for", .least = 1, .most = kAnyNumber,
     .verbs = set_of(Verb::dedup), .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.against_min = v.number; }},
    {.name = "against-action", .kind = Kind::choice, .metavar = "ACTION", .default_text = "remove",
     .description = "what becomes of documents that hold such an item", .choices = action_names,
     .verbs = set_of(Verb::dedup), .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.against_action = static_cast<AgainstAction>(v.number); }},
    {.name = "against-format", .kind = Kind::choice, .metavar = "NAME", .default_text = "the same",
     .description = "of the other set, where it is not that of the corpus: one of", .choices = format_names,
     .verbs = set_of(Verb::dedup), .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.against_format = static_cast<Format>(v.number + 1); }},
    {.name = "against-text-field", .kind = Kind::text, .metavar = "NAME", .default_text = "the same",
     .description = "the other set's field or column that holds the text",
     .verbs = set_of(Verb::dedup), .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.against_text_field = v.text; }},
    {.name = "against-id-field", .kind = Kind::text, .metavar = "NAME", .default_text = "none",
     .description = "the other set's field or column that holds the id",
     .verbs = set_of(Verb::dedup), .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.against_id_field = v.text; }},
    {.name = "max-doc-bytes", .kind = Kind::size, .metavar = "SIZE", .default_text = "64M",
     .description = "longer documents are skipped, as bad records", .least = 1, .most = kAnyNumber,
     .verbs = kReaders, .group = Group::input,
     .store = [](Settings& s, const Value& v) { s.max_doc_bytes = v.number; }},
    {.name = "binary", .default_text = "off", .description = "take binary files in folders too",
     .verbs = kReaders, .group = Group::input,
     .store = [](Settings& s, const Value&) { s.binary = true; }},
    {.name = "strict", .default_text = "off", .description = "stop at the first bad record, with exit code 3",
     .verbs = kReaders, .group = Group::input,
     .store = [](Settings& s, const Value&) { s.strict = true; }},

    {.name = "preset", .kind = Kind::choice, .metavar = "NAME", .default_text = "none",
     .description = "sets the flags below, unless given", .choices = preset_names,
     .verbs = kHashers, .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.preset = v.text; }},
    {.name = "tokenizer", .kind = Kind::choice, .metavar = "NAME", .default_text = "words",
     .description = "one of", .choices = tokenizer_names,
     .verbs = kHashers, .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.tokenizer = static_cast<TokenizerKind>(v.number); }},
    {.name = "hash", .kind = Kind::choice, .metavar = "NAME", .default_text = "xxh3",
     .description = "one of", .choices = hash_names,
     .verbs = kHashers, .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.hash = static_cast<HashKind>(v.number); }},
    {.name = "window", .kind = Kind::number, .metavar = "TOKENS", .default_text = "3",
     .description = "tokens a window", .least = 1, .most = 1024,
     .verbs = kHashers, .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.window = narrow(v); }},
    {.name = "seed", .kind = Kind::number, .metavar = "N", .default_text = "0",
     .description = "seed of xxh3 and jenkins", .least = 0, .most = kAnyNumber,
     .verbs = kHashers, .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.seed = v.number; }},
    {.name = "tie", .kind = Kind::number, .metavar = "BIT", .default_text = "0",
     .description = "bit where the weights sum to zero", .least = 0, .most = 1,
     .verbs = kHashers, .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.tie = v.number != 0; }},
    {.name = "stop-words", .kind = Kind::file, .metavar = "FILE", .default_text = "none",
     .description = "words to leave out: a file of them, or english", .choices = stop_word_lists,
     .verbs = kHashers, .group = Group::fingerprint,
     .store = [](Settings& s, const Value& v) { s.stop_words = v.text; }},

    {.name = "memory", .kind = Kind::size, .metavar = "SIZE", .default_text = "half of the RAM",
     .description = "ceiling, as 512M or 2G", .least = kMinMemoryBytes, .most = kAnyNumber,
     .verbs = kWorkers, .group = Group::run,
     .store = [](Settings& s, const Value& v) { s.memory = v.number; }},
    {.name = "threads", .kind = Kind::number, .metavar = "N", .default_text = "one a core",
     .description = "threads at work; fewer where memory has no room for them", .least = 1, .most = 1024,
     .verbs = Verb::dedup | Verb::near | Verb::fingerprint | Verb::match | Verb::substrings | Verb::ngrams_build | Verb::index_create |
              Verb::index_add | Verb::index_extract | Verb::index_blots | Verb::index_check | Verb::serve,
     .group = Group::run,
     .store = [](Settings& s, const Value& v) { s.threads = narrow(v); }},
    {.name = "temp-dir", .kind = Kind::folder, .metavar = "DIR", .default_text = "$TMPDIR or /tmp",
     .description = "folder for temporary files",
     .verbs = Verb::dedup | Verb::substrings | Verb::ngrams_build | Verb::ngrams_show | Verb::index_create | Verb::index_add |
              Verb::index_extract | Verb::index_check | Verb::serve,
     .group = Group::run,
     .store = [](Settings& s, const Value& v) { s.temp_dir = v.text; }},
    {.name = "quiet", .letter = 'q', .default_text = "off", .description = "no progress, no summary, no remarks",
     .verbs = kWorkers | Verb::ngrams_lookup | Verb::ngrams_check, .group = Group::run,
     .store = [](Settings& s, const Value&) { s.quiet = true; }},
    {.name = "json", .default_text = "off", .description = "the summary as JSON, on standard output",
     .verbs = Verb::dedup | Verb::near | Verb::substrings | Verb::ngrams_build | Verb::index_create | Verb::index_add |
              Verb::index_remove | Verb::index_merge,
     .group = Group::run,
     .store = [](Settings& s, const Value&) { s.json = true; }},
    {.name = "json", .default_text = "off", .description = "a summary as JSON, on standard error",
     .verbs = Verb::fingerprint | Verb::match | Verb::ngrams_show | Verb::ngrams_lookup | kAskers, .group = Group::run,
     .store = [](Settings& s, const Value&) { s.json = true; }},
    {.name = "json", .default_text = "off", .description = "the answer as one JSON object",
     .verbs = Verb::explain | Verb::ngrams_stats | Verb::ngrams_check | Verb::index_stats | Verb::index_check,
     .group = Group::run,
     .store = [](Settings& s, const Value&) { s.json = true; }},

    {.name = "help", .letter = 'h', .description = "print help and stop",
     .verbs = kAll, .group = Group::program,
     .store = [](Settings& s, const Value&) { s.help = true; }},
    {.name = "version", .letter = 'V', .description = "print the version and stop",
     .verbs = kAll, .group = Group::program,
     .store = [](Settings& s, const Value&) { s.version = true; }},
};
// clang-format on

}  // namespace

std::string_view heading(Group group) {
  switch (group) {
    case Group::verb:
      return "Flags";
    case Group::input:
      return "Input";
    case Group::fingerprint:
      return "Fingerprint";
    case Group::run:
      return "Run";
    case Group::program:
      return "Program";
  }
  return "";
}

std::span<const Flag> flags() {
  return kFlags;
}

std::vector<const Flag*> flags_of(Verb verb) {
  std::vector<const Flag*> rows;
  for (const Flag& flag : kFlags) {
    if (holds(flag.verbs, verb)) rows.push_back(&flag);
  }
  return rows;
}

std::string allowed(const Flag& flag) {
  switch (flag.kind) {
    case Kind::number:
      if (flag.most == kAnyNumber) return {};
      if (flag.most == kAnyUnsigned) return fmt::format("at least {}", flag.least);
      return fmt::format("{} {} {}", flag.least, flag.most - flag.least == 1 ? "or" : "to", flag.most);
    case Kind::size:
      return flag.least <= 1 ? std::string() : fmt::format("at least {}", size_text(flag.least));
    case Kind::choice:
      return fmt::format("{}", fmt::join(flag.choices(), ", "));
    default:
      return {};
  }
}

}  // namespace refrain::cli
