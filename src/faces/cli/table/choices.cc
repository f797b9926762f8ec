#include "faces/cli/table/choices.h"

namespace refrain::cli {

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

std::vector<std::string_view> normal_forms() {
  return {"none", "nfkc"};
}

}  // namespace refrain::cli
