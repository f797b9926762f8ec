// The options of an input, as a table.
#include "refrain/error.h"
#include "refrain/options.h"
#include "verbs/run/json_parts.h"
#include "verbs/run/option_rows.h"

namespace refrain {

namespace {

using verbs::run::choice_row;
using verbs::run::row;

char delimiter_of(const std::string& text) {
  const char delimiter = text == "tab" ? '\t' : text.size() == 1 ? text.front() : '\0';
  if (delimiter != 0 && delimiter != '"' && delimiter != '\n' && delimiter != '\r' && (delimiter & 0x80) == 0)
    return delimiter;
  throw Error(Errc::invalid_argument, fmt::format("`delimiter` '{}': give one character, such as ';', or tab", text));
}

char lower(char c) {
  return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

using Kind = OptionKind;
constexpr OptionGroup kInput = OptionGroup::input;

// clang-format off
const std::vector<Option<InputOptions>>& input_rows() {
  using In = InputOptions;
  static const std::vector<Option<In>> rows = {
      choice_row<In, format_names, &In::format>(
          {.name = "format", .unit = "NAME", .default_text = "by file name", .help = "one of", .unlisted = 1,
           .group = kInput}),
      {{.name = "text_field", .python = "text", .kind = Kind::text, .unit = "NAME",
        .help = "field or column with the text", .group = kInput},
       [](In& in, OptionValue&& value) { in.text_field = std::get<std::string>(value); },
       [](const In& in) -> OptionValue { return in.text_name(); }},
      row<In, &In::id_field>(
          {.name = "id_field", .python = "id", .kind = Kind::text, .unit = "NAME",
           .help = "field, column or header with the id; none: 0, 1, 2...", .group = kInput}),
      row<In, &In::id_optional>({.name = "id_optional", .recorded = Recorded::if_set, .faces = 0}),
      {{.name = "delimiter", .kind = Kind::text, .unit = "CHAR", .default_text = "by the header",
        .help = "between the columns of CSV: a character, or tab", .group = kInput, .recorded = Recorded::if_set},
       [](In& in, OptionValue&& value) { in.delimiter = delimiter_of(std::get<std::string>(value)); },
       [](const In& in) -> OptionValue { return in.delimiter == 0 ? std::string() : std::string(1, in.delimiter); }},
      {{.name = "charset", .kind = Kind::text, .unit = "NAME", .default_text = "recognized",
        .help = "character set of the input, as iconv knows it", .group = kInput, .recorded = Recorded::if_set},
       [](In& in, OptionValue&& value) {
         in.charset = std::get<std::string>(value);
         std::ranges::transform(in.charset, in.charset.begin(), lower);
       },
       [](const In& in) -> OptionValue { return in.charset; }},
      row<In, &In::max_doc_bytes>(
          {.name = "max_doc_bytes", .kind = Kind::size, .unit = "SIZE",
           .help = "longer documents are skipped as bad records", .least = 1, .group = kInput}),
      row<In, &In::binary>({.name = "binary", .help = "also read files that are not text", .group = kInput}),
      row<In, &In::as_is>(
          {.name = "as_is", .help = "read files as they are: markup, mail, any charset", .group = kInput}),
      choice_row<In, html_part_names, &In::html>(
          {.name = "html", .unit = "PART", .help = "what is read of a page", .group = kInput}),
      row<In, &In::main_version>(
          {.name = "main_version", .kind = Kind::number, .recorded = Recorded::if_used, .faces = 0},
          [](const In& in) -> std::string {
            return in.html == HtmlPart::main && !in.as_is ? "" : "without `html` main";
          }),
      choice_row<In, compared_mail_names, &In::compare>(
          {.name = "compare", .unit = "PART", .help = "what is compared of e-mail; headers adds From, To, Cc and Date",
           .group = kInput, .recorded = Recorded::if_set}),
      row<In, &In::join_hyphens>(
          {.name = "join_hyphens", .help = "join words hyphenated at line ends", .group = kInput,
           .recorded = Recorded::if_set}),
      row<In, &In::strict>(
          {.name = "strict", .help = "stop at the first bad record (exit code 3)", .group = kInput}),
      row<In, &In::skip_unreadable>(
          {.name = "skip_unreadable", .help = "skip files that cannot be read", .group = kInput,
           .recorded = Recorded::never}),
      row<In, &In::skipped>(
          {.name = "skipped", .kind = Kind::file, .unit = "FILE",
           .help = "list every skipped file there, with the reason", .group = kInput, .recorded = Recorded::never}),
  };
  return rows;
}

// clang-format on

}  // namespace

std::vector<std::string_view> html_part_names() {
  return {std::begin(verbs::run::kHtmlNames), std::end(verbs::run::kHtmlNames)};
}

std::vector<std::string_view> compared_mail_names() {
  return {std::begin(verbs::run::kCompareNames), std::end(verbs::run::kCompareNames)};
}

template <>
std::span<const Option<InputOptions>> option_table() {
  return input_rows();
}

}  // namespace refrain
