#include "verbs/run/input_json.h"

#include <string>
#include <utility>

#include "verbs/run/json_parts.h"

namespace refrain::verbs::run {

void read_input(const simdjson::dom::element& options, InputOptions& input) {
  const auto text_of = [&](const char* name) { return std::string(std::string_view(options[name])); };
  for (const simdjson::dom::element path : simdjson::dom::array(options["input"]))
    input.paths.emplace_back(std::string_view(path));
  input.format = static_cast<Format>(place_of(text_of("format"), format_names()));
  // A name is set only if it is not the default: with a name, standard input and .json files would be read as
  // JSONL.
  if (std::string text = text_of("text_field"); text != input.text_name()) input.text_field = std::move(text);
  input.id_field = text_of("id_field");
  if (options["id_optional"].get(input.id_optional) != simdjson::SUCCESS) input.id_optional = false;
  if (std::string_view delimiter; options["delimiter"].get(delimiter) == simdjson::SUCCESS)
    input.delimiter = delimiter.front();
  if (std::string_view charset; options["charset"].get(charset) == simdjson::SUCCESS) input.charset = charset;
  input.max_doc_bytes = options["max_doc_bytes"];
  input.binary = options["binary"];
  // Runs that do not record this option read all files as they are.
  if (options["as_is"].get(input.as_is) != simdjson::SUCCESS) input.as_is = true;
  if (std::string_view html; options["html"].get(html) == simdjson::SUCCESS)
    input.html = static_cast<HtmlPart>(place_of(html, kHtmlNames));
  input.main_version = 1;
  if (std::uint64_t version = 0; options["main_version"].get(version) == simdjson::SUCCESS)
    input.main_version = static_cast<unsigned>(version);
  if (std::string_view compare; options["compare"].get(compare) == simdjson::SUCCESS)
    input.compare = static_cast<ComparedMail>(place_of(compare, kCompareNames));
  if (options["join_hyphens"].get(input.join_hyphens) != simdjson::SUCCESS) input.join_hyphens = false;
}

}  // namespace refrain::verbs::run
