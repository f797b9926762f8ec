// Options as data: a table for each struct of options, with one row per option.
//
// A row holds what faces need to know about an option: its name, what values it takes, its help, and how it is read
// and set. The command line, the Python keywords, summary.json and the identity of a run are all made from these
// tables, so a new option is one member and one row.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

// A word that is accepted in place of a number, and the number that it stands for: "any", "off".
struct NumberWord {
  std::string_view word;
  std::uint64_t means = 0;
};

// The kind of value that an option takes on the command line. Completion uses this, too.
enum class OptionKind {
  toggle,   // nothing: giving it turns it on
  text,     // any text
  number,   // a whole number from `least` to `most`, or one of `number_words`
  share,    // from 0 to 1: 0.8 or 80%
  percent,  // the same, shown as 80%
  size,     // bytes, with K, M, G or T; from `least`
  choice,   // one of `choices`; of a bool, the first stands for true
  file,
  folder,
  words,  // a list of words: on the command line a file, or one of `choices`
};

// The heading under which help lists an option.
enum class OptionGroup { verb, input, fingerprint, run };

// Whether summary.json and the identity of a run record an option.
enum class Recorded {
  always,
  if_set,    // only if it differs from its default
  if_used,   // only if it has an effect beside the other options
  reported,  // in summary.json alone, if it differs from its default
  never,     // it does not change the result
};

// The faces that offer an option, one bit each.
inline constexpr unsigned kCommandLine = 1;
inline constexpr unsigned kPython = 2;
inline constexpr unsigned kSpark = 4;
inline constexpr unsigned kServer = 8;

inline constexpr std::uint64_t kAnyNumber = std::numeric_limits<std::uint64_t>::max();

// A choice is set by its place in `choices` and read by its name.
using OptionValue = std::variant<bool, std::uint64_t, double, std::string, std::vector<std::string>>;

struct OptionInfo {
  std::string_view name;         // as in summary.json; the flag has dashes: --max-loss
  std::string_view python = {};  // the keyword in Python, if it differs
  char letter = 0;               // the short flag; 0: none
  OptionKind kind = OptionKind::toggle;
  std::string_view unit = {};     // TOKENS, SHARE
  std::string default_text = {};  // for help, if the default is not simply a value
  std::string_view help = {};
  std::uint64_t least = 0;
  std::uint64_t most = kAnyNumber;
  std::vector<NumberWord> number_words = {};
  std::vector<std::string_view> (*choices)() = nullptr;
  unsigned unlisted = 0;  // this many of the choices, from the first, are what applies without the flag
  OptionGroup group = OptionGroup::verb;
  Recorded recorded = Recorded::always;
  unsigned faces = kCommandLine | kPython;
  bool first = false;     // set before other options, because it changes their defaults
  bool required = false;  // on the command line
  bool repeated = false;  // each use adds a value

  std::string_view keyword() const { return python.empty() ? name : python; }
};

template <class Options>
struct Option {
  OptionInfo info;
  // Throws Error(invalid_argument) for a value that the option cannot hold.
  void (*set)(Options&, OptionValue&&);
  OptionValue (*get)(const Options&);
  // Why the option would have no effect beside the others: "without `near` simhash"; empty if it has one. May be null.
  std::string (*idle)(const Options&) = nullptr;
};

// The number that a word stands for; null: none.
const std::uint64_t* number_meant(const OptionInfo& info, std::string_view word);
// The word that stands for a number; empty: none.
std::string_view word_meaning(const OptionInfo& info, std::uint64_t number);
// The words that stand for numbers: "auto or any".
std::string number_words_text(const OptionInfo& info);

// A value as text: "0.8", "50%", "64M", "on".
std::string option_text(const OptionInfo& info, const OptionValue& value);

// Throws Error(invalid_argument) unless the value is in the option's range.
void check_option(const OptionInfo& info, const OptionValue& value);

// The place of a word among the choices. Error(invalid_argument) lists them.
std::uint64_t choice_named(const OptionInfo& info, std::string_view word);

// Throws Error(invalid_argument) for an option that was given but has no effect. `why` says why.
[[noreturn]] void refuse_idle(const OptionInfo& info, const std::string& why);

// Sets the options for which `given`, a function of their OptionInfo, returns a std::optional with a value. Refuses
// those that would do nothing, which are slips or rest on a misunderstanding; a toggle may be turned off anyway.
template <class Options, class Given>
void set_options(std::span<const Option<Options>> table, Options& options, Given given) {
  std::vector<const Option<Options>*> set;
  for (const bool first : {true, false})
    for (const Option<Options>& option : table) {
      if (option.info.first != first) continue;
      std::optional<OptionValue> value = given(option.info);
      if (!value) continue;
      if (option.idle != nullptr && *value != OptionValue(false)) set.push_back(&option);
      option.set(options, std::move(*value));
    }
  for (const Option<Options>* option : set)
    if (const std::string why = option->idle(options); !why.empty()) refuse_idle(option->info, why);
}

// The default for help.
template <class Options>
std::string default_text(const Option<Options>& option) {
  return option.info.default_text.empty() ? option_text(option.info, option.get(Options{})) : option.info.default_text;
}

}  // namespace refrain
