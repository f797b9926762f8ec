// Determines the format of a file by its name and, if the name does not settle it, by its beginning.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "refrain/input.h"

namespace refrain::corpus {

// The size of a regular file; 0 for anything else.
std::uint64_t regular_size(const std::string& path);

// The format by the name, ignoring an extension of compression. It stays `automatic` for .json, whose content decides.
Format format_of(const InputOptions& options, std::string_view path);

// Never returns `automatic`. `named`: the user named the file, rather than its folder; `source`: the path of the
// content.
Format recognized_format(const InputOptions& options, MemoryBudget& budget, const std::string& path, bool named,
                         const std::string& source);

// The delimiter with which the header row of a table has the text field; a comma if none has. Errors in reading are
// ignored here and reported when the file is read. A pipe is not touched.
char sniffed_delimiter(const InputOptions& options, const std::string& path, MemoryBudget& budget);

}  // namespace refrain::corpus
