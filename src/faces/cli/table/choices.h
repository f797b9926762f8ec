// The words that flags accept as values. Each list is in the order of the values that the words stand for.
#pragma once

#include <string_view>
#include <vector>

namespace refrain::cli {

// In the order of Snap and of Keep.
std::vector<std::string_view> snap_names();
std::vector<std::string_view> keep_names();
// In the order of Rows. Not all verbs have tsv.
std::vector<std::string_view> rows_names();
std::vector<std::string_view> passage_rows_names();
std::vector<std::string_view> normal_forms();

}  // namespace refrain::cli
