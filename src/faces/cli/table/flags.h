// The table of flags: one row per flag.
//
// A row feeds the parser, the help screens, the man page and shell completion; nothing else knows a flag by name.
// Options of the library that have a table (refrain/options.h) become rows by themselves (option_flags.cc). Any other
// flag is a row in verb_flags.cc or shared_flags.cc and a field of Settings. Two rows may share a name if no verb takes
// both, so that one flag can be described differently to different verbs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/table/verbs.h"
#include "refrain/dedup.h"
#include "refrain/device.h"
#include "refrain/fingerprint.h"
#include "refrain/index.h"
#include "refrain/input.h"
#include "refrain/ngrams.h"
#include "refrain/options.h"
#include "refrain/substrings.h"

namespace refrain::cli {

struct Flag;

// The form in which rows are printed.
enum class Rows { jsonl, text, tsv };

// The values from the command line, and only those: the fields of flags that were not given are empty, so that a
// preset can be told from a choice. options.h turns this into the options of a verb.
struct Settings {
  std::vector<const Flag*> flags;  // those that were given, each once
  // The options that have a table, by name.
  std::map<std::string_view, OptionValue> given;
  bool has(std::string_view option) const { return given.contains(option); }

  std::vector<std::string> arguments;  // the whole command line, without the program's name
  std::vector<std::string> operands;
  bool help = false;
  bool version = false;

  std::string output;
  std::optional<std::uint64_t> length;
  std::optional<std::uint64_t> min_count;
  std::optional<Snap> snap;
  std::optional<Keep> keep;
  std::string library;
  bool trust_signatures = false;
  bool groups = false;
  bool apply = false;
  bool until_clean = false;
  std::string text_csv;
  std::string ids;
  std::vector<std::string> sources;
  bool force = false;
  bool add = false;
  std::vector<std::string> in;
  std::string run;

  std::optional<unsigned> n;
  std::optional<unsigned> m;
  std::optional<NgramAlgorithm> algorithm;
  std::optional<NgramSort> sort;
  std::optional<std::uint64_t> limit;

  std::optional<BlotKind> blots;
  std::optional<BlotSampling> sampling;
  std::optional<unsigned> interleave;
  std::optional<unsigned> blot_bits;
  std::optional<unsigned> shards;
  bool store_text = false;
  bool replace = false;
  std::optional<std::uint64_t> min_tokens;
  std::optional<unsigned> max_gap;
  std::optional<Edits> edits;
  std::optional<double> noise;
  std::optional<std::uint64_t> min_documents;
  std::optional<std::uint64_t> max_documents;
  std::optional<std::uint64_t> max_occurrences;
  std::vector<std::string> exclude;
  std::string cursor;
  std::optional<std::string> id;
  Rows rows = Rows::jsonl;
  bool no_text = false;
  bool self = false;
  std::vector<std::string> with;
  std::string pairs;
  bool raw = false;
  std::vector<std::string> unblot;
  bool repair = false;

  std::optional<std::string> listen;
  std::string token_file;
  bool token_for_reads = false;
  std::optional<unsigned> max_connections;

  std::optional<bool> normalize;
  bool comments = false;

  std::optional<TokenizerKind> tokenizer;
  std::optional<unsigned> window;

  std::optional<std::uint64_t> memory;
  std::optional<unsigned> threads;
  std::string temp_dir;
  bool quiet = false;
  bool json = false;
};

using Kind = OptionKind;

// The heading under which help shows a flag; in the order of OptionGroup.
enum class Group { verb, input, fingerprint, run, program };
std::string_view heading(Group group);

// A value that has passed the checks of its kind.
struct Value {
  std::string_view text;
  std::uint64_t number = 0;  // a number or size; for a choice, its index in choices()
  double share = 0;
};

struct Flag {
  std::string_view name;  // without the dashes
  char letter = 0;        // 0: none
  Kind kind = Kind::toggle;
  std::string_view metavar = {};  // names the unit: BITS, SIZE, N
  std::string_view default_text = {};
  std::string_view description;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::vector<std::string_view> (*choices)() = nullptr;
  VerbSet verbs;
  Group group;
  bool required = false;
  void (*store)(Settings&, const Value&) = nullptr;
  const OptionInfo* option = nullptr;  // kept in Settings::given, in place of `store`

  // The choices that are offered.
  std::vector<std::string_view> listed() const;
};

std::span<const Flag> flags();

// The flags of one verb, in the order of the table.
std::vector<const Flag*> flags_of(Verb verb);

// "--id-field" for "id_field".
std::string flag_spelling(std::string_view option);

// The allowed values: "0 to 63", "at least 64M", "files, lines, jsonl"; empty if anything is allowed.
std::string allowed(const Flag& flag);

}  // namespace refrain::cli
