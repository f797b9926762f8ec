// The table of verbs: what `refrain WORD` can be.
//
// A verb of two words ("ngrams show") belongs to the family that its first word names ("ngrams"), which has a row of
// its own: its help lists the members, and it does nothing else.
//
// A row feeds the parser (how many operands), the help screens, the man page and shell completion. Whoever adds a verb
// adds a row in corpus_verbs.cc or store_verbs.cc, names it in the `verbs` column of the flags it takes (flags.cc), and runs it in run_verbs.cc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
  ngrams,  // the family of those that follow
  ngrams_build,
  ngrams_show,
  ngrams_lookup,
  ngrams_stats,
  ngrams_check,
  index,  // the family of those that follow
  index_create,
  index_add,
  index_remove,
  index_merge,
  index_query,
  index_extract,
  index_blots,
  index_stats,
  index_check,
  library,  // the family of those that follow
  library_stats,
  library_check,
  library_merge,
  library_remove,
  library_export,
  serve,
  devices,
  completion,
  man,
  help
};

// A set of verbs, a bit each.
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
  std::size_t least_operands;
  std::size_t most_operands;
  // What the operands may be, where that is a closed list; nullptr: files.
  std::vector<std::string_view> (*operand_choices)();
  std::string_view description;              // for the help screen, which must not outgrow 50 lines
  std::string_view details;                  // what the man page says beyond that; paragraphs end with a newline
  std::array<std::string_view, 2> examples;  // work on any Debian, in this order, in one writable folder
};

std::span<const VerbInfo> verbs();
// The first of them, and the others.
std::span<const VerbInfo> corpus_verbs();
std::span<const VerbInfo> store_verbs();
const VerbInfo& info(Verb verb);
std::optional<Verb> find_verb(std::string_view name);
// What may stand first on the command line: verbs of one word, and families.
std::vector<std::string_view> verb_names();
std::vector<std::string_view> all_verb_names();

// The members of a family, in the order of the table; none where the verb is no family.
std::vector<const VerbInfo*> members(Verb verb);
// Its own word: "show" of "ngrams show".
std::string_view last_word(const VerbInfo& verb);

// The exit codes of `refrain`, for help and man page. What maps to them is in process.h.
struct ExitCodeInfo {
  int code;
  std::string_view meaning;
};
std::span<const ExitCodeInfo> exit_codes();

}  // namespace refrain::cli
