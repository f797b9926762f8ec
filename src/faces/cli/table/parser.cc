#include "faces/cli/table/parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "faces/cli/table/numbers.h"
#include "faces/cli/table/spelling.h"

namespace refrain::cli {

namespace {

std::string help_of(const VerbInfo* verb) {
  return verb == nullptr ? "refrain --help" : fmt::format("refrain {} --help", verb->name);
}

std::string did_you_mean(std::string_view guess) {
  return guess.empty() ? std::string() : fmt::format("; did you mean '{}'?", guess);
}

class Parser {
 public:
  Parser(std::span<const std::string> arguments, const VerbInfo& verb)
      : arguments_(arguments), verb_(verb), flags_(flags_of(verb.verb)) {}

  Settings run() {
    bool only_operands = false;
    while (next_ < arguments_.size() && !settings_.help && !settings_.version) {
      const std::string_view argument = arguments_[next_++];
      if (only_operands || argument.size() < 2 || argument.front() != '-') {
        settings_.operands.emplace_back(argument);
      } else if (argument == "--") {
        only_operands = true;
      } else if (argument.starts_with("--")) {
        read_long(argument.substr(2));
      } else {
        read_letters(argument.substr(1));
      }
    }
    if (!settings_.help && !settings_.version) check_complete();
    return std::move(settings_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw UsageError(message, help_of(&verb_)); }

  void read_long(std::string_view argument) {
    const std::size_t equals = argument.find('=');
    const std::string_view name = argument.substr(0, equals);
    const auto found = std::find_if(flags_.begin(), flags_.end(), [&](const Flag* flag) { return flag->name == name; });
    if (found == flags_.end() || name.size() == 1) fail(unknown(name));
    const Flag& flag = **found;
    const std::string spelling = fmt::format("--{}", name);
    if (flag.kind == Kind::toggle) {
      if (equals != std::string_view::npos) fail(fmt::format("{} takes no value", spelling));
      keep(flag, {});
    } else {
      const bool joined = equals != std::string_view::npos;
      store(flag, spelling, joined ? argument.substr(equals + 1) : next_value(flag, spelling));
    }
  }

  void read_letters(std::string_view letters) {
    while (!letters.empty()) {
      const char letter = letters.front();
      letters.remove_prefix(1);
      const auto found =
          std::find_if(flags_.begin(), flags_.end(), [&](const Flag* flag) { return flag->letter == letter; });
      if (found == flags_.end()) fail(fmt::format("unknown flag '-{}'", letter));
      const Flag& flag = **found;
      const std::string spelling = fmt::format("-{}", letter);
      if (flag.kind != Kind::toggle) {
        store(flag, spelling, letters.empty() ? next_value(flag, spelling) : letters);
        return;
      }
      keep(flag, {});
    }
  }

  // Refuses a value that looks like a flag: nobody means a folder called "--force".
  std::string_view next_value(const Flag& flag, std::string_view spelling) {
    if (next_ == arguments_.size()) fail(fmt::format("{} needs a value: {}", spelling, flag.metavar));
    const std::string_view value = arguments_[next_];
    if (value.size() > 1 && value[0] == '-' && !(value[1] >= '0' && value[1] <= '9')) {
      const bool is_text = flag.kind == Kind::text || flag.kind == Kind::file || flag.kind == Kind::folder ||
                           flag.kind == Kind::words;  // a value of any other kind never begins like this
      const std::string way = is_text ? fmt::format("; write --{}={} to use it anyway", flag.name, value) : "";
      fail(fmt::format("{} needs a value: {}, but '{}' looks like a flag{}", spelling, flag.metavar, value, way));
    }
    ++next_;
    return value;
  }

  void store(const Flag& flag, std::string_view spelling, std::string_view text) {
    Value value{.text = text};
    if (flag.kind == Kind::choice) {
      const std::vector<std::string_view> choices = flag.listed();
      const auto found = std::find(choices.begin(), choices.end(), text);
      if (found == choices.end()) {
        fail(fmt::format("{}: unknown value '{}'; choose one of: {}", spelling, text, allowed(flag)));
      }
      value.number = static_cast<std::uint64_t>(found - choices.begin());
    } else if (const std::uint64_t* meant = flag.option == nullptr ? nullptr : number_meant(*flag.option, text)) {
      value.number = *meant;
    } else if (flag.kind == Kind::number || flag.kind == Kind::size) {
      const bool is_size = flag.kind == Kind::size;
      const std::optional<std::uint64_t> number = is_size ? parse_size(text) : parse_number(text);
      if (!number || *number < flag.least || *number > flag.most) {
        std::string range = allowed(flag);
        if (range.empty() && !is_size && flag.least > 0) range = fmt::format("at least {}", flag.least);
        if (range.empty() && flag.option != nullptr && !flag.option->number_words.empty())
          range = fmt::format("or {}", number_words_text(*flag.option));
        fail(fmt::format("{}: invalid value '{}'; must be {}{}{}", spelling, text,
                         is_size ? "a size, e.g. 512M or 1.5G" : "a whole number", range.empty() ? "" : ", ", range));
      }
      value.number = *number;
    } else if (flag.kind == Kind::share || flag.kind == Kind::percent) {
      const std::optional<double> share = parse_share(text);
      if (!share) fail(fmt::format("{}: invalid value '{}'; must be a share, e.g. 0.8 or 80%", spelling, text));
      value.share = *share;
    } else if (text.empty()) {
      fail(fmt::format("{} needs a value: {}", spelling, flag.metavar));
    }
    keep(flag, value);
  }

  void keep(const Flag& flag, const Value& value) {
    if (flag.option != nullptr)
      give(*flag.option, value);
    else
      flag.store(settings_, value);
    if (!is_given(flag)) settings_.flags.push_back(&flag);
  }

  bool is_given(const Flag& flag) const { return std::ranges::find(settings_.flags, &flag) != settings_.flags.end(); }

  void give(const OptionInfo& option, const Value& value) {
    OptionValue& given = settings_.given[option.name];
    if (option.repeated) {
      auto* texts = std::get_if<std::vector<std::string>>(&given);
      if (texts == nullptr) texts = &given.emplace<std::vector<std::string>>();
      texts->emplace_back(value.text);
    } else if (option.kind == Kind::toggle) {
      given = true;
    } else if (option.kind == Kind::choice) {
      given = value.number + option.unlisted;
    } else if (option.kind == Kind::number || option.kind == Kind::size) {
      given = value.number;
    } else if (option.kind == Kind::share || option.kind == Kind::percent) {
      given = value.share;
    } else {
      given = std::string(value.text);
    }
  }

  // Names the verbs that have the flag, if any; otherwise suggests a flag that may have been meant.
  std::string unknown(std::string_view name) const {
    std::vector<std::string_view> owners;
    for (const VerbInfo& other : verbs()) {
      for (const Flag* flag : flags_of(other.verb)) {
        if (flag->name == name) owners.push_back(other.name);
      }
    }
    if (!owners.empty() && name.size() > 1) {
      return fmt::format("'{}' has no flag '--{}'; it belongs to {}", verb_.name, name, fmt::join(owners, ", "));
    }
    std::vector<std::string_view> names;
    for (const Flag* flag : flags_) names.push_back(flag->name);
    const std::string_view guess = closest(name, names);
    return fmt::format("unknown flag '--{}'{}", name, did_you_mean(guess.empty() ? "" : flag_spelling(guess)));
  }

  void check_complete() const {
    const std::size_t count = settings_.operands.size();
    if (count < verb_.min_operands) fail(fmt::format("'{}' needs {}", verb_.name, verb_.operands));
    if (count > verb_.max_operands) {
      fail(fmt::format("'{}': unexpected argument '{}'", verb_.name, settings_.operands[verb_.max_operands]));
    }
    if (verb_.operand_choices != nullptr) {
      const std::vector<std::string_view> choices = verb_.operand_choices();
      for (const std::string& operand : settings_.operands) {
        if (std::find(choices.begin(), choices.end(), operand) != choices.end()) continue;
        fail(fmt::format("'{}': unknown argument '{}'; choose one of: {}", verb_.name, operand,
                         fmt::join(choices, ", ")));
      }
    }
    for (const Flag* flag : flags_) {
      if (flag->required && !is_given(*flag))
        fail(fmt::format("'{}' needs --{} {}: {}", verb_.name, flag->name, flag->metavar, flag->description));
    }
  }

  const std::span<const std::string> arguments_;
  const VerbInfo& verb_;
  const std::vector<const Flag*> flags_;
  std::size_t next_ = 0;
  Settings settings_;
};

// Parses a verb of two words, the first of which has been read.
Invocation parse_member(const VerbInfo& family, std::span<const std::string> rest) {
  if (rest.empty() || rest.front().starts_with('-')) {
    Invocation invocation{.verb = family.verb, .settings = Parser(rest, family).run()};
    invocation.settings.help = !invocation.settings.version;
    return invocation;
  }
  std::vector<std::string_view> words;
  for (const VerbInfo* member : members(family.verb)) {
    words.push_back(last_word(*member));
    if (words.back() == rest.front()) return {.verb = member->verb, .settings = Parser(rest.subspan(1), *member).run()};
  }
  // For `index serve`, suggests `serve`.
  const std::string_view member = closest(rest.front(), words);
  std::string guess = did_you_mean(find_verb(rest.front()) ? rest.front()
                                   : member.empty()        ? std::string()
                                                           : fmt::format("{} {}", family.name, member));
  if (guess.empty()) guess = fmt::format("; '{}' takes one of {}", family.name, fmt::join(words, ", "));
  throw UsageError(fmt::format("unknown verb '{} {}'{}", family.name, rest.front(), guess), help_of(&family));
}

// Joins the words of `help ngrams show`, which is about one verb.
std::vector<std::string> join_names(std::span<const std::string> arguments) {
  std::vector<std::string> joined(arguments.begin(), arguments.end());
  if (joined.size() == 2) {
    const std::string both = fmt::format("{} {}", joined[0], joined[1]);
    if (find_verb(both)) joined = {both};
  }
  return joined;
}

Invocation read(std::span<const std::string> arguments) {
  if (arguments.empty()) throw UsageError("missing verb", help_of(nullptr));
  const std::string_view first = arguments.front();
  // Only flags that every verb has may come before the verb. They are read as flags of `help`.
  if (first.starts_with('-')) {
    const VerbInfo& help = info(Verb::help);
    for (const Flag* flag : flags_of(Verb::help)) {
      const bool named = first == fmt::format("--{}", flag->name);
      const bool lettered = first.size() == 2 && first[1] == flag->letter;
      if (!named && !lettered) continue;
      Invocation invocation;
      flag->store(invocation.settings, {});
      // `refrain --help near` means `refrain help near`.
      if (invocation.settings.help) invocation.settings = Parser(join_names(arguments.subspan(1)), help).run();
      return invocation;
    }
    throw UsageError(fmt::format("missing verb before '{}'", first), help_of(nullptr));
  }
  const std::optional<Verb> verb = find_verb(first);
  if (!verb) {
    const std::string guess = did_you_mean(closest(first, verb_names()));
    throw UsageError(fmt::format("unknown verb '{}'{}", first, guess), help_of(nullptr));
  }
  const std::span<const std::string> rest = arguments.subspan(1);
  if (!members(*verb).empty()) return parse_member(info(*verb), rest);
  if (*verb == Verb::help) return {.verb = *verb, .settings = Parser(join_names(rest), info(*verb)).run()};
  return {.verb = *verb, .settings = Parser(rest, info(*verb)).run()};
}

}  // namespace

Invocation parse(std::span<const std::string> arguments) {
  Invocation invocation = read(arguments);
  invocation.settings.arguments.assign(arguments.begin(), arguments.end());
  return invocation;
}

}  // namespace refrain::cli
