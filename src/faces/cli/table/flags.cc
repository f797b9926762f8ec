#include "faces/cli/table/flags.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "faces/cli/table/flag_rows.h"
#include "faces/cli/table/numbers.h"

namespace refrain::cli {

std::string_view heading(Group group) {
  switch (group) {
    case Group::verb:
      return "Flags";
    case Group::input:
      return "Input";
    case Group::fingerprint:
      return "Fingerprint";
    case Group::run:
      return "Run";
    case Group::program:
      return "Program";
  }
  return "";
}

std::span<const Flag> flags() {
  static const std::vector<Flag> all = [] {
    std::vector<Flag> rows;
    for (const std::span<const Flag> part : {option_flags(), plain_flags()})
      rows.insert(rows.end(), part.begin(), part.end());
    std::ranges::stable_sort(rows, {}, &Flag::group);
    return rows;
  }();
  return all;
}

std::vector<const Flag*> flags_of(Verb verb) {
  std::vector<const Flag*> rows;
  for (const Flag& flag : flags()) {
    if (holds(flag.verbs, verb)) rows.push_back(&flag);
  }
  return rows;
}

std::vector<std::string_view> Flag::listed() const {
  std::vector<std::string_view> words = choices();
  if (option != nullptr) words.erase(words.begin(), words.begin() + option->unlisted);
  return words;
}

std::vector<std::string> Flag::spellings() const {
  std::vector<std::string> all;
  if (letter != 0) all.push_back(fmt::format("-{}", letter));
  if (name.size() > 1) all.push_back(fmt::format("--{}", name));
  return all;
}

bool Settings::has_any(std::initializer_list<std::string_view> options) const {
  return std::ranges::any_of(options, [&](std::string_view option) { return has(option); });
}

std::string allowed(const Flag& flag) {
  switch (flag.kind) {
    case Kind::number:
      if (flag.most == kAnyNumber) return {};
      if (flag.most >= std::numeric_limits<unsigned>::max() - 2)
        return flag.least == 0 ? std::string() : fmt::format("at least {}", flag.least);
      return fmt::format("{}{} {} {}",
                         flag.option == nullptr || flag.option->number_words.empty()
                             ? std::string()
                             : fmt::format("{} or ", number_words_text(*flag.option)),
                         flag.least, flag.most - flag.least == 1 ? "or" : "to", flag.most);
    case Kind::size:
      return flag.least <= 1 ? std::string() : fmt::format("at least {}", size_text(flag.least));
    case Kind::choice:
      return fmt::format("{}", fmt::join(flag.listed(), ", "));
    default:
      return {};
  }
}

}  // namespace refrain::cli
