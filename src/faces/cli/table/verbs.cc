#include "faces/cli/table/verbs.h"

#include <algorithm>

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

std::vector<std::string_view> shells() {
  return {"bash", "zsh", "fish"};
}

// Adds the prose of verbs.txt to the rows. After "# NAME" come the description of the verb, the paragraphs of its
// details, with a blank line before each, and its examples, each after "$ ".
std::vector<VerbInfo> with_prose(std::vector<VerbInfo> rows) {
  VerbInfo* verb = nullptr;
  std::string* text = nullptr;
  for (std::string_view rest = kVerbProse; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.starts_with("# ")) {
      verb = &*std::ranges::find(rows, line.substr(2), &VerbInfo::name);
      text = &verb->description;
    } else if (line.starts_with("$ ")) {
      verb->examples.push_back(line.substr(2));
    } else if (line.empty()) {
      if (!verb->details.empty()) verb->details += '\n';
      text = &verb->details;
    } else {
      if (!text->empty() && !text->ends_with('\n')) *text += ' ';
      *text += line;
    }
  }
  return rows;
}

}  // namespace

std::span<const VerbInfo> verbs() {
  static const std::vector<VerbInfo> all = with_prose({
      // verb, name, summary, operands, how many of them at least and at most, the words that are allowed
      {Verb::dedup, "dedup", "remove duplicate documents and write a clean corpus", "INPUT...", 1, kNoLimit},
      {Verb::near, "near", "find near-duplicate documents and their clusters", "INPUT...", 1, kNoLimit},
      {Verb::fingerprint, "fingerprint", "print the fingerprint of every document", "INPUT...", 1, kNoLimit},
      {Verb::text, "text", "print the text of every document as JSONL", "INPUT...", 1, kNoLimit},
      {Verb::match, "match", "look up fingerprints among stored ones", "STORED [QUERIES|-]", 1, 2},
      {Verb::explain, "explain", "show why two documents match, or what a run did with one", "A B | ID", 1, 2},
      {Verb::substrings, "substrings", "find repeated byte ranges", "INPUT...", 0, kNoLimit},
      {Verb::ngrams, "ngrams", "index repeated n-grams", "build|show|lookup|stats|check", 0, 0},
      {Verb::ngrams_build, "ngrams build", "build an index", "INPUT...", 1, kNoLimit},
      {Verb::ngrams_show, "ngrams show", "list the n-grams and their places", "INDEX", 1, 1},
      {Verb::ngrams_lookup, "ngrams lookup", "look up phrases", "INDEX PHRASE...", 2, kNoLimit},
      {Verb::ngrams_stats, "ngrams stats", "show how much text repeats, and what the index cost", "INDEX", 1, 1},
      {Verb::ngrams_check, "ngrams check", "verify an index", "INDEX", 1, 1},
      {Verb::index, "index", "find passages that recur, exact or edited",
       "create|add|remove|merge|query|extract|blots|stats|check", 0, 0},
      {Verb::index_create, "index create", "create an index of documents", "INDEX INPUT...", 2, kNoLimit},
      {Verb::index_add, "index add", "add documents", "INDEX INPUT...", 2, kNoLimit},
      {Verb::index_remove, "index remove", "remove documents", "INDEX [ID...]", 1, kNoLimit},
      {Verb::index_merge, "index merge", "merge all segments and reclaim space", "INDEX", 1, 1},
      {Verb::index_query, "index query", "find passages that documents share with the index", "INDEX [INPUT...]", 1,
       kNoLimit},
      {Verb::index_extract, "index extract", "find all passages that recur in the index", "INDEX", 1, 1},
      {Verb::index_blots, "index blots", "list the blots of an index or of files", "INDEX|FILE...", 1, kNoLimit},
      {Verb::index_stats, "index stats", "show what the index contains, and its size", "INDEX", 1, 1},
      {Verb::index_check, "index check", "verify an index, and repair it", "INDEX", 1, 1},
      {Verb::library, "library", "look after a library of kept documents", "stats|check|merge|remove|export", 0, 0},
      {Verb::library_stats, "library stats", "show what the library contains, and its size", "LIBRARY", 1, 1},
      {Verb::library_check, "library check", "verify a library, and repair its texts", "LIBRARY", 1, 1},
      {Verb::library_merge, "library merge", "merge all segments and forget what was removed", "LIBRARY", 1, 1},
      {Verb::library_remove, "library remove", "remove documents by id or source", "LIBRARY [ID...]", 1, kNoLimit},
      {Verb::library_export, "library export", "list the documents of a library as JSONL", "LIBRARY", 1, 1},
      {Verb::overrides, "overrides", "look after files of decisions by people", "check|merge", 0, 0},
      {Verb::overrides_check, "overrides check", "show what each decision would do to a run", "FILE", 1, 1},
      {Verb::overrides_merge, "overrides merge", "merge the decisions of two files", "A B", 2, 2},
      {Verb::serve, "serve", "serve an index or a library over HTTP", "[INDEX]", 0, 1},
      {Verb::devices, "devices", "list the GPUs that --device can use", "", 0, 0},
      {Verb::completion, "completion", "print a shell completion script", "bash|zsh|fish", 1, 1, shells},
      {Verb::man, "man", "print the man page", "", 0, 0},
      {Verb::help, "help", "print help for the program or a verb", "[VERB]", 0, 1, all_verb_names},
  });
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
