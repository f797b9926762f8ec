// For the rows of an options table: how the members of an options struct are set and read.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <concepts>
#include <filesystem>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json.h"
#include "refrain/error.h"
#include "refrain/options.h"

namespace refrain::verbs::run {

// The member that a path of pointers to members leads to; the struct itself if the path is empty.
template <class Options>
auto& member(Options& options) {
  return options;
}
template <auto First, auto... Rest, class Options>
auto& member(Options& options) {
  return member<Rest...>(options.*First);
}

// Assigns a value to a member of its type. A choice is assigned by its place.
template <class T>
void assign(T& into, OptionValue&& value) {
  if constexpr (std::is_same_v<T, bool>) {
    const auto* place = std::get_if<std::uint64_t>(&value);
    into = place != nullptr ? *place == 0 : std::get<bool>(value);
  } else if constexpr (std::is_enum_v<T>) {
    into = static_cast<T>(std::get<std::uint64_t>(value));
  } else if constexpr (std::unsigned_integral<T>) {
    const std::uint64_t number = std::get<std::uint64_t>(value);
    if (number > std::numeric_limits<T>::max())
      throw Error(Errc::invalid_argument, fmt::format("{}: too large for an option", number));
    into = static_cast<T>(number);
  } else if constexpr (std::is_same_v<T, double>) {
    into = std::get<double>(value);
  } else if constexpr (requires(T optional) {
                         optional.emplace();
                         optional.value_or(0);
                       }) {
    assign(into.emplace(), std::move(value));
  } else if constexpr (requires { typename T::value_type; } && !std::is_same_v<T, std::string> &&
                       !std::is_same_v<T, std::filesystem::path>) {
    auto& texts = std::get<std::vector<std::string>>(value);
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      into = std::move(texts);
    else
      into.assign(texts.begin(), texts.end());
  } else {
    into = std::get<std::string>(std::move(value));
  }
}

template <class T>
OptionValue read(const T& from) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double> || std::is_same_v<T, std::string>) {
    return from;
  } else if constexpr (std::is_same_v<T, std::filesystem::path>) {
    return from.string();
  } else if constexpr (std::unsigned_integral<T>) {
    return std::uint64_t{from};
  } else if constexpr (requires { from.value_or(0); }) {
    return read(from.value_or(0));
  } else {
    std::vector<std::string> texts;
    for (const auto& text : from) texts.push_back(std::filesystem::path(text).string());
    return texts;
  }
}

// A row for a member, which may be a member of a member.
template <class Options, auto... Path>
Option<Options> row(const OptionInfo& info, std::string (*idle)(const Options&) = nullptr) {
  return {.info = info,
          .set = [](Options& options, OptionValue&& value) { assign(member<Path...>(options), std::move(value)); },
          .get = [](const Options& options) { return read(member<Path...>(options)); },
          .idle = idle};
}

// A row for a member that is an enum, or a bool with two names. `kNames` is the function behind info.choices.
template <class Options, auto kNames, auto... Path>
Option<Options> choice_row(OptionInfo info, std::string (*idle)(const Options&) = nullptr) {
  info.kind = OptionKind::choice;
  info.choices = kNames;
  return {.info = std::move(info),
          .set = [](Options& options, OptionValue&& value) { assign(member<Path...>(options), std::move(value)); },
          .get = [](const Options& options) -> OptionValue {
            const auto& value = member<Path...>(options);
            if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, bool>)
              return std::string(kNames()[value ? 0 : 1]);
            else
              return std::string(kNames()[static_cast<std::size_t>(value)]);
          },
          .idle = idle};
}

void write_value(JsonWriter& json, const OptionValue& value);
// The lines of an identity for one option: different values give different lines. A list has one line per item.
std::string identity_lines(const OptionInfo& info, const OptionValue& value);

// Throws Error(invalid_argument) for the first option that is out of its range.
template <class Options>
void check_options(const Options& options, std::span<const Option<Options>> table = option_table<Options>()) {
  for (const Option<Options>& option : table)
    if (option.idle == nullptr || option.idle(options).empty()) check_option(option.info, option.get(options));
}

// Calls visit(info, value) for each option that is recorded.
template <class Options, class Visit>
void for_each_recorded(const Options& options, std::span<const Option<Options>> table, Visit visit) {
  static const Options defaults;
  for (const Option<Options>& option : table) {
    const Recorded recorded = option.info.recorded;
    if (recorded == Recorded::never || (recorded == Recorded::if_used && !option.idle(options).empty())) continue;
    OptionValue value = option.get(options);
    if ((recorded == Recorded::if_set || recorded == Recorded::reported) && value == option.get(defaults)) continue;
    visit(option.info, std::move(value));
  }
}

// The members of the object `options` of summary.json.
template <class Options>
void write_options(JsonWriter& json, const Options& options,
                   std::span<const Option<Options>> table = option_table<Options>()) {
  for_each_recorded(options, table, [&](const OptionInfo& info, const OptionValue& value) {
    json.key(info.name);
    write_value(json, value);
  });
}

// The lines of an identity: a name and a value each. Options that are recorded only in some cases are always among
// them, so that two identities can be compared line by line.
template <class Options>
std::string options_identity(const Options& options, const std::string& prefix = {},
                             std::span<const Option<Options>> table = option_table<Options>()) {
  std::string text;
  for (const Option<Options>& option : table)
    if (option.info.recorded != Recorded::never && option.info.recorded != Recorded::reported)
      text += prefix + identity_lines(option.info, option.get(options));
  return text;
}

}  // namespace refrain::verbs::run
