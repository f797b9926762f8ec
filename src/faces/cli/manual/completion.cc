#include "faces/cli/manual/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <utility>
#include <vector>

#include "faces/cli/table/flags.h"
#include "faces/cli/table/verbs.h"

namespace refrain::cli {

namespace {

// Puts `text` in single quotes for bash and zsh, and escapes the quotes inside it.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// Returns the operands of a verb that are single words: a shell completes one word at a time.
std::vector<std::string_view> operand_words(const VerbInfo& verb) {
  std::vector<std::string_view> words;
  for (const std::string_view word : verb.operand_choices()) {
    if (word.find(' ') == std::string_view::npos) words.push_back(word);
  }
  return words;
}

std::vector<std::string_view> member_words(const VerbInfo& family) {
  std::vector<std::string_view> words;
  for (const VerbInfo* member : members(family.verb)) words.push_back(last_word(*member));
  return words;
}

// ---- bash

// Returns the command that puts the values of a flag into COMPREPLY.
std::string bash_value(const Flag& flag) {
  const std::string choices =
      flag.choices == nullptr ? std::string() : fmt::format("{}", fmt::join(flag.listed(), " "));
  switch (flag.kind) {
    case Kind::choice:
      return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))", in_quotes(choices));
    case Kind::file:
    case Kind::words:
      return choices.empty()
                 ? std::string("_refrain_paths -f")
                 : fmt::format("_refrain_paths -f; COMPREPLY+=($(compgen -W {} -- \"$word\"))", in_quotes(choices));
    case Kind::folder:
      return "_refrain_paths -d";
    default:
      return ":";
  }
}

// Returns a line that offers `words`, which are separated by spaces.
std::string bash_words(std::string_view indent, std::string_view words) {
  return fmt::format("{}COMPREPLY=($(compgen -W {} -- \"$word\"))\n", indent, in_quotes(words));
}

std::string bash_script() {
  std::string out = R"(# bash completion for refrain; made by `refrain completion bash`

_refrain_paths() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$word")
  compopt -o filenames 2>/dev/null
}

_refrain() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
  # bash cuts words at "=".
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    before=${COMP_WORDS[COMP_CWORD-2]}
  fi
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
)";
  std::vector<std::string> first;
  for (const std::string_view name : verb_names()) first.emplace_back(name);
  for (const Flag& flag : flags()) {
    if (flag.group != Group::program) continue;
    for (std::string& spelling : flag.spellings()) first.push_back(std::move(spelling));
  }
  out += bash_words("    ", fmt::format("{}", fmt::join(first, " ")));
  out += "    return\n  fi\n";
  for (const VerbInfo& family : verbs()) {
    if (members(family.verb).empty()) continue;
    out += fmt::format("  if [[ $verb == {} ]]; then\n    if ((COMP_CWORD == 2)); then\n", family.name);
    out += bash_words("      ", fmt::format("{} --help --version", fmt::join(member_words(family), " ")));
    out += "      return\n    fi\n    verb=\"$verb ${COMP_WORDS[2]}\"\n  fi\n";
  }
  out += "  case $verb in\n";
  for (const VerbInfo& verb : verbs()) {
    if (!members(verb.verb).empty()) continue;
    std::vector<std::string> words;
    out += fmt::format("    {})\n      case $before in\n", in_quotes(verb.name));
    for (const Flag* flag : flags_of(verb.verb)) {
      const std::vector<std::string> names = flag->spellings();
      words.insert(words.end(), names.begin(), names.end());
      if (flag->kind == Kind::toggle) continue;
      out += fmt::format("        {}) {}; return ;;\n", fmt::join(names, "|"), bash_value(*flag));
    }
    out += "      esac\n      if [[ $word == -* ]]; then\n";
    out += bash_words("        ", fmt::format("{}", fmt::join(words, " ")));
    out += "      else\n";
    if (verb.operand_choices != nullptr) {
      out += bash_words("        ", fmt::format("{}", fmt::join(operand_words(verb), " ")));
    } else {
      out += verb.max_operands == 0 ? "        :\n" : "        _refrain_paths -f\n";
    }
    out += "      fi ;;\n";
  }
  out += "  esac\n}\n\ncomplete -F _refrain refrain\n";
  return out;
}

// ---- zsh

// Escapes brackets, colons and backslashes, which have a meaning inside an _arguments specification.
std::string zsh_escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(const Flag& flag) {
  if (flag.kind == Kind::toggle) return {};
  std::string action;
  switch (flag.kind) {
    case Kind::choice:
      action = fmt::format("({})", fmt::join(flag.listed(), " "));
      break;
    case Kind::file:
    case Kind::words:
      action = "_files";
      break;
    case Kind::folder:
      action = "_files -/";
      break;
    default:
      action = " ";
  }
  return fmt::format(":{}:{}", zsh_escaped(flag.metavar), action);
}

// Returns an entry for _describe.
std::string zsh_verb(const VerbInfo& verb) {
  return fmt::format("    {}\n", in_quotes(fmt::format("{}:{}", last_word(verb), zsh_escaped(verb.summary))));
}

std::string zsh_script() {
  std::string out = "#compdef refrain\n# zsh completion for refrain; made by `refrain completion zsh`\n\n";
  out += "_refrain() {\n  local -a verbs\n  verbs=(\n";
  for (const std::string_view name : verb_names()) out += zsh_verb(info(find_verb(name).value_or(Verb::help)));
  out += "  )\n  if (( CURRENT == 2 )); then\n    _describe verb verbs\n";
  out += "    _arguments";
  for (const Flag& flag : flags()) {
    if (flag.group != Group::program) continue;
    for (const std::string& spelling : flag.spellings()) {
      out += " " + in_quotes(fmt::format("{}[{}]", spelling, zsh_escaped(flag_text(flag))));
    }
  }
  out += "\n    return\n  fi\n  local verb=$words[2]\n  shift words\n  (( CURRENT-- ))\n";
  for (const VerbInfo& family : verbs()) {
    if (members(family.verb).empty()) continue;
    out += fmt::format("  if [[ $verb == {} ]]; then\n    if (( CURRENT == 2 )); then\n      verbs=(\n", family.name);
    for (const VerbInfo* member : members(family.verb)) out += zsh_verb(*member);
    out += "      )\n      _describe verb verbs\n      return\n    fi\n";
    out += "    verb=\"$verb $words[2]\"\n    shift words\n    (( CURRENT-- ))\n  fi\n";
  }
  out += "  case $verb in\n";
  for (const VerbInfo& verb : verbs()) {
    if (!members(verb.verb).empty()) continue;
    out += fmt::format("    {})\n      _arguments -S", in_quotes(verb.name));
    for (const Flag* flag : flags_of(verb.verb)) {
      for (const std::string& spelling : flag->spellings()) {
        const std::string_view joined = flag->kind == Kind::toggle ? "" : spelling.starts_with("--") ? "=" : "+";
        out += fmt::format(" \\\n        {}", in_quotes(fmt::format("*{}{}[{}]{}", spelling, joined,
                                                                    zsh_escaped(flag_text(*flag)), zsh_value(*flag))));
      }
    }
    if (verb.operand_choices != nullptr) {
      out += fmt::format(" \\\n        {}", in_quotes(fmt::format("1: :({})", fmt::join(operand_words(verb), " "))));
    } else if (verb.max_operands != 0) {
      out += " \\\n        '*: :_files'";
    }
    out += " ;;\n";
  }
  out += "  esac\n}\n\n";
  // With this, the script can be sourced from a start-up file or loaded from $fpath.
  out += "if [[ $funcstack[1] == _refrain ]]; then\n  _refrain \"$@\"\nelse\n  compdef _refrain refrain\nfi\n";
  return out;
}

// ---- fish

std::string fish_script() {
  // In single quotes, fish knows only the escapes \' and \\ .
  const auto quote = [](std::string_view text) {
    std::string escaped = "'";
    for (const char c : text) {
      if (c == '\'' || c == '\\') escaped += '\\';
      escaped += c;
    }
    return escaped + "'";
  };
  std::string out = "# fish completion for refrain; made by `refrain completion fish`\n\ncomplete -c refrain -f\n";
  for (const VerbInfo& verb : verbs()) {
    const std::size_t space = verb.name.find(' ');
    if (space == std::string_view::npos) {
      out += fmt::format("complete -c refrain -n __fish_use_subcommand -a {} -d {}\n", verb.name, quote(verb.summary));
      continue;
    }
    const VerbInfo& family = info(find_verb(verb.name.substr(0, space)).value_or(Verb::help));
    out += fmt::format("complete -c refrain -n {} -a {} -d {}\n",
                       quote(fmt::format("__fish_seen_subcommand_from {}; and not __fish_seen_subcommand_from {}",
                                         family.name, fmt::join(member_words(family), " "))),
                       last_word(verb), quote(verb.summary));
  }
  for (const Flag& flag : flags()) {
    if (flag.group != Group::program) continue;
    out += fmt::format("complete -c refrain -s {} -l {} -d {}\n", flag.letter, flag.name, quote(flag_text(flag)));
  }
  for (const VerbInfo& verb : verbs()) {
    if (!members(verb.verb).empty()) continue;
    // For a verb of two words, both must be on the command line.
    std::string seen = fmt::format("__fish_seen_subcommand_from {}", verb.name.substr(0, verb.name.find(' ')));
    if (verb.name.find(' ') != std::string_view::npos)
      seen += fmt::format("; and __fish_seen_subcommand_from {}", last_word(verb));
    const std::string start = fmt::format("complete -c refrain -n {}", quote(seen));
    if (verb.operand_choices != nullptr) {
      out += fmt::format("{} -a {}\n", start, quote(fmt::format("{}", fmt::join(operand_words(verb), " "))));
    } else if (verb.max_operands != 0) {
      out += fmt::format("{} -F\n", start);
    }
    for (const Flag* flag : flags_of(verb.verb)) {
      if (flag->group == Group::program) continue;
      out += start;
      if (flag->letter != 0) out += fmt::format(" -s {}", flag->letter);
      if (flag->name.size() > 1) out += fmt::format(" -l {}", flag->name);
      switch (flag->kind) {
        case Kind::toggle:
          break;
        case Kind::choice:
          out += fmt::format(" -x -a {}", quote(fmt::format("{}", fmt::join(flag->listed(), " "))));
          break;
        case Kind::folder:
          out += " -x -a '(__fish_complete_directories)'";
          break;
        case Kind::file:
        case Kind::words:
          out += " -r -F";
          break;
        default:
          out += " -x";
      }
      out += fmt::format(" -d {}\n", quote(flag_text(*flag)));
    }
  }
  return out;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "zsh") return zsh_script();
  if (shell == "fish") return fish_script();
  return bash_script();
}

}  // namespace refrain::cli
