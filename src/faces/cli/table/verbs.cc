#include "faces/cli/table/verbs.h"

namespace refrain::cli {

namespace {

constexpr ExitCodeInfo kExitCodes[] = {
    {0, "done"},
    {1, "failed: a system error, or nothing was found"},
    {2, "usage: a wrong flag or value, or an output that already exists"},
    {3, "bad input: missing, malformed or unsupported"},
    {4, "corrupt: a file written by Refrain is damaged"},
    {5, "limit: not enough memory or disk"},
    {130, "interrupted"},
};

}  // namespace

std::span<const VerbInfo> verbs() {
  static const std::vector<VerbInfo> all = [] {
    const std::span<const VerbInfo> first = corpus_verbs();
    std::vector<VerbInfo> rows(first.begin(), first.end());
    rows.insert(rows.end(), store_verbs().begin(), store_verbs().end());
    return rows;
  }();
  return all;
}

const VerbInfo& info(Verb verb) {
  return verbs()[static_cast<unsigned>(verb)];
}

std::optional<Verb> find_verb(std::string_view name) {
  for (const VerbInfo& row : verbs()) {
    if (row.name == name) return row.verb;
  }
  return std::nullopt;
}

std::vector<std::string_view> verb_names() {
  std::vector<std::string_view> names;
  for (const VerbInfo& row : verbs())
    if (row.name.find(' ') == std::string_view::npos) names.push_back(row.name);
  return names;
}

std::vector<std::string_view> all_verb_names() {
  std::vector<std::string_view> names;
  for (const VerbInfo& row : verbs()) names.push_back(row.name);
  return names;
}

std::vector<const VerbInfo*> members(Verb verb) {
  const std::string_view family = info(verb).name;
  std::vector<const VerbInfo*> rows;
  for (const VerbInfo& row : verbs())
    if (row.name.size() > family.size() && row.name.starts_with(family) && row.name[family.size()] == ' ')
      rows.push_back(&row);
  return rows;
}

std::string_view last_word(const VerbInfo& verb) {
  return verb.name.substr(verb.name.find(' ') + 1);  // npos + 1 is 0
}

std::span<const ExitCodeInfo> exit_codes() {
  return kExitCodes;
}

}  // namespace refrain::cli
