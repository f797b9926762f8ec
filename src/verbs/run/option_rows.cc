#include "verbs/run/option_rows.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace refrain::verbs::run {

void write_value(JsonWriter& json, const OptionValue& value) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    json.begin_array();
    for (const std::string& text : *texts) json.value(text);
    json.end_array();
    return;
  }
  std::visit(
      [&]<class T>(const T& plain) {
        if constexpr (!std::is_same_v<T, std::vector<std::string>>) json.value(plain);
      },
      value);
}

std::string identity_lines(const OptionInfo& info, const OptionValue& value) {
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::string lines;
    for (const std::string& text : *texts) lines += fmt::format("{} {}\n", info.name, text);
    return lines;
  }
  if (const auto* on = std::get_if<bool>(&value); on != nullptr && info.kind == OptionKind::toggle)
    return fmt::format("{} {}\n", info.name, *on);
  if (const auto* share = std::get_if<double>(&value)) return fmt::format("{} {}\n", info.name, *share);
  if (const auto* text = std::get_if<std::string>(&value)) return fmt::format("{} {}\n", info.name, *text);
  return fmt::format("{} {}\n", info.name, option_text(info, value));
}

}  // namespace refrain::verbs::run

namespace refrain {

std::vector<std::string_view> tables_names() {
  return {"tsv", "parquet"};
}

namespace {

std::string size_text(std::uint64_t bytes) {
  constexpr std::string_view kUnits = "KMGT";
  for (std::size_t i = kUnits.size(); i > 0; --i) {
    const std::uint64_t unit = std::uint64_t{1} << (10 * i);
    if (bytes >= unit && bytes % unit == 0) return fmt::format("{}{}", bytes / unit, kUnits[i - 1]);
  }
  return fmt::format("{}", bytes);
}

}  // namespace

void refuse_idle(const OptionInfo& info, const std::string& why) {
  throw Error(Errc::invalid_argument, fmt::format("`{}`: has no effect {}; remove it", info.name, why));
}

const std::uint64_t* number_meant(const OptionInfo& info, std::string_view word) {
  const auto found = std::ranges::find(info.number_words, word, &NumberWord::word);
  return found == info.number_words.end() ? nullptr : &found->means;
}

std::string_view word_meaning(const OptionInfo& info, std::uint64_t number) {
  const auto found = std::ranges::find(info.number_words, number, &NumberWord::means);
  return found == info.number_words.end() ? std::string_view() : found->word;
}

std::string number_words_text(const OptionInfo& info) {
  std::string text;
  for (const NumberWord& one : info.number_words) text += fmt::format("{}{}", text.empty() ? "" : " or ", one.word);
  return text;
}

std::string option_text(const OptionInfo& info, const OptionValue& value) {
  if (const auto* on = std::get_if<bool>(&value))
    return std::string(info.kind == OptionKind::choice ? info.choices()[*on ? 0 : 1] : *on ? "on" : "off");
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    if (const std::string_view word = word_meaning(info, *number); !word.empty()) return std::string(word);
    return info.kind == OptionKind::size ? size_text(*number) : fmt::format("{}", *number);
  }
  if (const auto* share = std::get_if<double>(&value))
    return info.kind == OptionKind::percent ? fmt::format("{:g}%", *share * 100) : fmt::format("{}", *share);
  if (const auto* text = std::get_if<std::string>(&value)) return text->empty() ? "none" : *text;
  const auto& texts = std::get<std::vector<std::string>>(value);
  return texts.empty() ? "none" : fmt::format("{}", fmt::join(texts, " "));
}

void check_option(const OptionInfo& info, const OptionValue& value) {
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    if (info.kind == OptionKind::choice || !word_meaning(info, *number).empty()) return;
    if (*number >= info.least && *number <= info.most) return;
    const std::string word = info.number_words.empty() ? "" : number_words_text(info) + ", or ";
    throw Error(Errc::invalid_argument,
                info.most == kAnyNumber
                    ? fmt::format("`{}`: must be {}at least {}", info.name, word, info.least)
                    : fmt::format("`{}`: must be {}from {} to {}", info.name, word, info.least, info.most));
  }
  if (const auto* share = std::get_if<double>(&value); share != nullptr && !(*share >= 0 && *share <= 1))
    throw Error(Errc::invalid_argument, fmt::format("`{}`: must be from 0 to 1", info.name));
}

std::uint64_t choice_named(const OptionInfo& info, std::string_view word) {
  const std::vector<std::string_view> choices = info.choices();
  const auto found = std::ranges::find(choices, word);
  if (found != choices.end()) return static_cast<std::uint64_t>(found - choices.begin());
  throw Error(Errc::invalid_argument,
              fmt::format("`{}`: there is no '{}'; choose from {}", info.name, word, fmt::join(choices, ", ")));
}

}  // namespace refrain
