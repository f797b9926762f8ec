// The formats of the tables that a verb writes.
#pragma once

#include <string_view>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

enum class Tables {
  tsv,      // text only
  parquet,  // the same tables as Parquet, too, with typed columns
};
// The names of the formats, in the order of Tables.
std::vector<std::string_view> tables_names();

}  // namespace refrain
