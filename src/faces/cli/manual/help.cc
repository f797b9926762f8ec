#include "faces/cli/manual/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "refrain/version.h"

namespace refrain::cli {

namespace {

constexpr std::size_t kWidth = 80;
constexpr std::ptrdiff_t kScreenLines = 50;

// Returns all names of a flag, and its value: "-o, --output DIR".
std::string flag_name(const Flag& flag) {
  std::string name = fmt::format("{}", fmt::join(flag.spellings(), ", "));
  if (!flag.metavar.empty()) name += fmt::format(" {}", flag.metavar);
  return name;
}

// Returns a row of a two-column list: the term begins at column 2, the text at `column`.
std::string list_row(std::string_view term, std::string_view text, std::size_t column) {
  std::string row = fmt::format("  {:<{}}", term, column - 2);
  row += wrap(text, kWidth, column, row.size());
  return row;
}

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent, std::size_t first_column) {
  std::string out;
  std::size_t column = first_column;
  bool line_is_empty = true;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;
    if (!line_is_empty && column + 1 + word.size() > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      line_is_empty = true;
    }
    if (!line_is_empty) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    line_is_empty = false;
  }
  out += '\n';
  return out;
}

std::string synopsis(const VerbInfo& verb) {
  std::string line = fmt::format("refrain {}", verb.name);
  if (!verb.operands.empty()) line += fmt::format(" {}", verb.operands);
  bool has_optional = false;
  for (const Flag* flag : flags_of(verb.verb)) {
    if (flag->required) {
      line += flag->letter != 0 ? fmt::format(" -{} {}", flag->letter, flag->metavar)
                                : fmt::format(" --{} {}", flag->name, flag->metavar);
    } else if (flag->group != Group::program) {
      has_optional = true;
    }
  }
  if (has_optional) line += " [FLAG...]";
  return line;
}

std::string flag_text(const Flag& flag) {
  std::string text(flag.description);
  const std::string range = allowed(flag);
  if (!range.empty()) {
    text += flag.kind == Kind::choice ? (text == "one of" ? " " : ": ") : ", ";
    text += range;
  }
  if (!flag.default_text.empty()) text += fmt::format(" [{}]", flag.default_text);
  return text;
}

std::string program_help() {
  constexpr std::size_t kColumn = 17;
  std::string out = fmt::format("refrain {}: finds and removes duplicate text\n\n", kVersion);
  out += "Usage: refrain VERB [OPERAND...] [FLAG...]\n\nVerbs:\n";
  for (const std::string_view name : verb_names()) {
    out += list_row(name, info(find_verb(name).value_or(Verb::help)).summary, kColumn);
  }
  out += "\nFlags:\n";
  for (const Flag& flag : flags()) {
    if (flag.group == Group::program) out += list_row(flag_name(flag), flag_text(flag), kColumn);
  }
  out += "\nExit codes:\n";
  for (const ExitCodeInfo& row : exit_codes()) out += list_row(fmt::format("{}", row.code), row.meaning, kColumn);
  out += "\nExamples:\n";
  for (const std::string_view example : info(Verb::near).examples) out += fmt::format("  {}\n", example);
  out += "\nSee 'refrain VERB --help' for a verb, and 'refrain man' for the full manual.\n";
  return out;
}

namespace {

// Returns the flags of one group as a paragraph, for a screen that has no room for a row per flag.
std::string brief_flags(const std::vector<const Flag*>& rows, Group group) {
  if (std::none_of(rows.begin(), rows.end(), [&](const Flag* flag) { return flag->group == group; })) return {};
  std::string text = fmt::format("{}:", heading(group));
  for (const Flag* flag : rows) {
    if (flag->group != group) continue;
    text += fmt::format("{} {}", text.ends_with(':') ? "" : ",", flag_name(*flag));
    if (!flag->default_text.empty()) text += fmt::format(" [{}]", flag->default_text);
  }
  return "\n" + wrap(text, kWidth, 0, 2);
}

// Returns the help of a verb. With `brief`, only the verb's own flags get a row each.
std::string verb_screen(Verb verb, bool brief) {
  const VerbInfo& row = info(verb);
  const std::vector<const Flag*> rows = flags_of(verb);
  std::size_t column = 0;
  for (const Flag* flag : rows)
    if (!brief || flag->group == Group::verb) column = std::max(column, flag_name(*flag).size() + 4);
  const std::vector<const VerbInfo*> family = members(verb);
  for (const VerbInfo* member : family) column = std::max(column, member->name.size() + 4);

  std::string out = fmt::format("Usage: {}\n\n", synopsis(row));
  out += wrap(row.description, kWidth, 0, 0);
  if (!family.empty()) out += "\nVerbs:\n";
  for (const VerbInfo* member : family) out += list_row(member->name, member->summary, column);
  // The flags of the program follow those of the previous group without a heading, to save lines.
  const Flag* last = nullptr;
  for (const Flag* flag : rows) {
    if (brief && flag->group != Group::verb) continue;
    const bool is_program = flag->group == Group::program;
    if (last == nullptr || (flag->group != last->group && !is_program)) {
      out += fmt::format("\n{}{}:\n", heading(is_program ? Group::verb : flag->group),
                         last == nullptr && !is_program ? " (defaults in brackets)" : "");
    }
    last = flag;
    out += list_row(flag_name(*flag), flag_text(*flag), column);
  }
  if (brief)
    for (const Group group : {Group::fingerprint, Group::input, Group::run}) out += brief_flags(rows, group);
  if (brief) out += "'refrain man' describes these, and -h, --help and -V, --version.\n";
  out += "\nExamples:\n";
  for (const std::string_view example : row.examples) out += fmt::format("  {}\n", example);
  return out;
}

}  // namespace

std::string verb_help(Verb verb) {
  const std::string screen = verb_screen(verb, false);
  return std::count(screen.begin(), screen.end(), '\n') <= kScreenLines ? screen : verb_screen(verb, true);
}

}  // namespace refrain::cli
