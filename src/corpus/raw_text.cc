#include "corpus/raw_text.h"

#include <simdjson.h>

#include "corpus/csv.h"

namespace refrain {

namespace {

std::optional<std::string> json_content(std::string_view raw) {
  simdjson::ondemand::parser parser;
  simdjson::padded_string quoted(raw.size() + 2);
  char* out = quoted.data();
  *out = '"';
  raw.copy(out + 1, raw.size());
  out[raw.size() + 1] = '"';
  simdjson::ondemand::document document;
  std::string_view text;
  if (parser.iterate(quoted).get(document) != simdjson::SUCCESS) return std::nullopt;
  if (document.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::optional<std::string> text_of_raw(Format format, std::string_view raw) {
  switch (format) {
    case Format::jsonl:
      return json_content(raw);
    case Format::csv:
      return csv_content(raw, ',');
    case Format::tsv:
      return csv_content(raw, '\t');
    default:
      return std::string(raw);
  }
}

}  // namespace refrain
