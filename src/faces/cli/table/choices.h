// The words that a flag may be given, each list in the order of what it stands for.
#pragma once

#include <string_view>
#include <vector>

namespace refrain::cli {

// In the order of Format, less `automatic`.
std::vector<std::string_view> format_names();
// In the order of HtmlPart.
std::vector<std::string_view> html_names();
// In the order of Snap and of Keep.
std::vector<std::string_view> snap_names();
std::vector<std::string_view> keep_names();
// In the order of Rows; not all have tsv.
std::vector<std::string_view> rows_names();
std::vector<std::string_view> passage_rows_names();
std::vector<std::string_view> stop_word_lists();

// In the order of AgainstAction.
std::vector<std::string_view> action_names();
// In the order of Attributes, none aside.
std::vector<std::string_view> attributes_names();
std::vector<std::string_view> normal_forms();
std::vector<std::string_view> on_off();
std::vector<std::string_view> auto_off();

}  // namespace refrain::cli
