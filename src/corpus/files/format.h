// Which format a file has: by its name, and where that leaves it open by its beginning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "refrain/input.h"

namespace refrain::corpus {

// Of a regular file; 0 of anything else.
std::uint64_t regular_size(const std::string& path);

// By the name without the ending of what it is packed with; stays automatic for .json, whose content tells.
Format format_of(const InputOptions& options, std::string_view path);

// Never automatic. `named`: by a person, rather than found in a folder; `source`: where the content of `path` is.
Format recognized_format(const InputOptions& options, MemoryBudget& budget, const std::string& path, bool named,
                         const std::string& source);

// The delimiter with which the header row of a table has the text field; a comma where none has. What cannot be read is
// told when it is its turn, and a pipe is not touched before.
char sniffed_delimiter(const InputOptions& options, const std::string& path, MemoryBudget& budget);

}  // namespace refrain::corpus
