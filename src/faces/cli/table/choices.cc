#include "faces/cli/table/choices.h"

namespace refrain::cli {

std::vector<std::string_view> format_names() {
  return {"files", "lines", "jsonl", "csv", "tsv", "warc", "parquet", "json", "mbox"};
}

std::vector<std::string_view> html_names() {
  return {"main", "text", "raw"};
}

std::vector<std::string_view> snap_names() {
  return {"none", "utf8", "word", "line"};
}

std::vector<std::string_view> keep_names() {
  return {"first", "none"};
}

std::vector<std::string_view> rows_names() {
  return {"jsonl", "text"};
}

std::vector<std::string_view> passage_rows_names() {
  return {"jsonl", "text", "tsv"};
}

std::vector<std::string_view> stop_word_lists() {
  return {"english"};
}

std::vector<std::string_view> action_names() {
  return {"remove", "mark"};
}

std::vector<std::string_view> attributes_names() {
  return {"dolma"};
}

std::vector<std::string_view> normal_forms() {
  return {"none", "nfkc"};
}

std::vector<std::string_view> on_off() {
  return {"on", "off"};
}

std::vector<std::string_view> auto_off() {
  return {"auto", "off"};
}

}  // namespace refrain::cli
