// The table of flags: one row per flag.
//
// A row feeds the parser, the help screens, the man page and shell completion; nothing else knows a flag by name.
// Options of the library that have a table (refrain/options.h) become rows by themselves (option_flags.cc). Any other
// flag is a row in plain_flags.cc and a field of Settings. Two rows may share a name if no verb takes both, so that one
// flag can be described differently to different verbs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/table/verbs.h"
#include "refrain/error.h"
#include "refrain/options.h"

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
  bool has_any(std::initializer_list<std::string_view> options) const;

  std::vector<std::string> arguments;  // the whole command line, without the program's name
  std::vector<std::string> operands;
  bool help = false;
  bool version = false;

  std::string ids;
  std::vector<std::string> sources;
  std::vector<std::string> in;
  std::string run;
  std::string output;

  Rows rows = Rows::jsonl;
  bool no_text = false;
  bool raw = false;
  bool repair = false;

  std::string token_file;

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
  // "-o" and "--output"; only "-n" if the name is one letter.
  std::vector<std::string> spellings() const;
};

std::span<const Flag> flags();

// The flags of one verb, in the order of the table.
std::vector<const Flag*> flags_of(Verb verb);

// "id-field" for "id_field".
std::string flag_name(std::string_view option);
// "--id-field" for "id_field", "-n" for "n".
std::string flag_spelling(std::string_view option);
// The same for an option that a message names. One that the program does not have stays in backquotes: a file may have
// such a name.
std::string message_spelling(std::string_view option);
// The message, with its options spelled as flags.
std::string in_flags(const Error& error);

// The allowed values: "0 to 63", "at least 64M", "files, lines, jsonl"; empty if anything is allowed.
std::string allowed(const Flag& flag);

}  // namespace refrain::cli
