// The table of verbs: the words that `refrain WORD` accepts.
//
// A verb of two words ("ngrams show") belongs to the family that its first word names ("ngrams"). A family has a row
// of its own, and only prints its help, which lists its members.
//
// A row feeds the parser (how many operands), the help screens, the man page and shell completion. To add a verb, add
// it to the enum, add a row at the same position in verbs.cc and its prose to verbs.txt, name the verb in the `verbs`
// of the flags that it takes (option_flags.cc, plain_flags.cc), and add its function to a table of run_verbs.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace refrain::cli {

enum class Verb : unsigned {
  dedup,
  near,
  fingerprint,
  text,
  match,
  explain,
  substrings,
  ngrams,  // the family of the verbs that follow
  ngrams_build,
  ngrams_show,
  ngrams_lookup,
  ngrams_stats,
  ngrams_check,
  index,  // the family of the verbs that follow
  index_create,
  index_add,
  index_remove,
  index_merge,
  index_query,
  index_extract,
  index_blots,
  index_stats,
  index_check,
  library,  // the family of the verbs that follow
  library_stats,
  library_check,
  library_merge,
  library_remove,
  library_export,
  overrides,  // the family of the verbs that follow
  overrides_check,
  overrides_merge,
  serve,
  devices,
  completion,
  man,
  help
};

// A set of verbs, one bit each.
using VerbSet = std::uint64_t;

constexpr VerbSet set_of(Verb verb) {
  return VerbSet{1} << static_cast<unsigned>(verb);
}
constexpr VerbSet operator|(Verb a, Verb b) {
  return set_of(a) | set_of(b);
}
constexpr VerbSet operator|(VerbSet a, Verb b) {
  return a | set_of(b);
}
constexpr VerbSet operator|(Verb a, VerbSet b) {
  return set_of(a) | b;
}
constexpr bool holds(VerbSet set, Verb verb) {
  return (set & set_of(verb)) != 0;
}

inline constexpr std::size_t kNoLimit = static_cast<std::size_t>(-1);

struct VerbInfo {
  Verb verb;
  std::string_view name;
  std::string_view summary;  // one line, for the list of verbs
  std::string_view operands;
  std::size_t min_operands;
  std::size_t max_operands;
  // Returns the words that are allowed as operands. Null if operands are not restricted to certain words.
  std::vector<std::string_view> (*operand_choices)() = nullptr;
  // From verbs.txt:
  std::string description = {};                 // for the help screen, which has at most 50 lines
  std::string details = {};                     // added by the man page; paragraphs, with a newline between them
  std::vector<std::string_view> examples = {};  // two; run on any Debian, in this order, in one writable folder
};

// The contents of src/faces/cli/table/verbs.txt, which is compiled in.
extern const std::string_view kVerbProse;

// In the order of Verb.
std::span<const VerbInfo> verbs();
const VerbInfo& info(Verb verb);
std::optional<Verb> find_verb(std::string_view name);
// Returns the words that may come first on the command line: verbs of one word, and families.
std::vector<std::string_view> verb_names();
std::vector<std::string_view> all_verb_names();

// Returns the members of a family, in the order of the table. Empty if the verb is not a family.
std::vector<const VerbInfo*> members(Verb verb);
// Returns the last word of the verb's name: "show" of "ngrams show".
std::string_view last_word(const VerbInfo& verb);

// The exit codes of `refrain`, for the help and the man page. exit_code() in process.h maps errors to them.
struct ExitCodeInfo {
  int code;
  std::string_view meaning;
};
std::span<const ExitCodeInfo> exit_codes();

}  // namespace refrain::cli
