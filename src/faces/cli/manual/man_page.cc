#include "faces/cli/manual/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "faces/cli/table/flags.h"
#include "faces/cli/table/verbs.h"
#include "refrain/version.h"

namespace refrain::cli {

namespace {

// Escapes backslashes, dashes, quotes, and commands at the start of a line, so that roff takes all text literally.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      default:
        out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string paragraphs(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format(".PP\n{}\n", roff(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string flag_entry(const Flag& flag) {
  std::string term;
  for (const std::string& spelling : flag.spellings())
    term += fmt::format("{}\\fB{}\\fR", term.empty() ? "" : ", ", roff(spelling));
  if (!flag.metavar.empty()) term += fmt::format(" \\fI{}\\fR", roff(flag.metavar));
  return fmt::format(".TP\n{}\n{}\n", term, roff(flag_text(flag)));
}

std::string names_of(VerbSet set) {
  std::vector<std::string_view> names;
  for (const VerbInfo& verb : verbs())
    if (holds(set, verb.verb)) names.push_back(verb.name);
  return fmt::format("({})\n", fmt::join(names, ", "));
}

// Returns a section that describes the shared flags of one group once, with the verbs that take them.
std::string shared_flags(Group group, std::string_view title) {
  std::vector<std::pair<std::string, VerbSet>> entries;
  for (const Flag& flag : flags()) {
    if (flag.group != group) continue;
    const std::string entry = flag_entry(flag);
    const auto same = std::ranges::find(entries, entry, &std::pair<std::string, VerbSet>::first);
    if (same == entries.end())
      entries.emplace_back(entry, flag.verbs);
    else
      same->second |= flag.verbs;
  }
  std::string out = fmt::format(".SS {}\n", title);
  for (const auto& [entry, takers] : entries) out += entry + (group == Group::program ? "" : names_of(takers));
  return out;
}

}  // namespace

std::string man_page() {
  std::string out = fmt::format(".TH REFRAIN 1 \"\" \"refrain {}\" \"User Commands\"\n", kVersion);
  out += ".SH NAME\nrefrain \\- finds and removes duplicate text\n.SH SYNOPSIS\n";
  for (const VerbInfo& verb : verbs()) {
    if (!members(verb.verb).empty()) continue;
    if (!out.ends_with(".SH SYNOPSIS\n")) out += ".br\n";
    out += fmt::format("{}\n", roff(synopsis(verb)));
  }
  out += ".SH DESCRIPTION\n";
  out += paragraphs(
      "Refrain finds duplicate text in collections of documents and removes it: exact and near-duplicate documents, "
      "repeated byte ranges, n-grams and passages. Data goes to standard output, messages to standard error. The same "
      "input and options give the same result for any number of threads.\n"
      "Defaults are in brackets. A SIZE is a number of bytes, optionally with K, M, G or T (powers of 1024), e.g. 512M "
      "or 1.5G. If a flag is given twice, the last one wins. -- ends the flags.\n");
  out += ".SH VERBS\n";
  for (const VerbInfo& verb : verbs()) {
    out += fmt::format(".SS {}\n", roff(synopsis(verb)));
    out += paragraphs(verb.description);
    out += paragraphs(verb.details);
    for (const Flag* flag : flags_of(verb.verb)) {
      if (flag->group == Group::verb) out += flag_entry(*flag);
    }
    out += ".PP\nExamples:\n.PP\n.nf\n.RS\n";
    for (const std::string_view example : verb.examples) out += fmt::format("{}\n", roff(example));
    out += ".RE\n.fi\n";
  }
  out += ".SH SHARED FLAGS\n";
  out += shared_flags(Group::input, "Input");
  out += shared_flags(Group::fingerprint, "Fingerprint");
  out += shared_flags(Group::run, "Run");
  out += shared_flags(Group::program, "Program");
  out += ".SH EXIT STATUS\n";
  for (const ExitCodeInfo& row : exit_codes()) out += fmt::format(".TP\n{}\n{}\n", row.code, roff(row.meaning));
  out += ".SH ENVIRONMENT\n";
  out += ".TP\nTMPDIR\nfolder for temporary files, unless \\-\\-temp\\-dir is given\n";
  out += ".TP\nNO_COLOR\nif set and not empty, output is not colored\n";
  out += ".TP\nLC_ALL, LC_CTYPE, LANG\nwhether the terminal supports UTF\\-8\n";
  out += ".SH SEE ALSO\n";
  out += "simhash\\-find\\-all, simhash\\-find\\-clusters: pairs and clusters in a list of hashes\n";
  return out;
}

}  // namespace refrain::cli
