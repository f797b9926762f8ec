// Joins words that are hyphenated at the end of a line: "gen-" and "eration" become "generation".
#pragma once

#include <cstddef>
#include <string_view>

#include "base/budget.h"
#include "corpus/source/reader.h"

namespace refrain::corpus {

// Copies `text` to `out`, which must have room for it, and leaves out every hyphen (-, U+2010, or a soft hyphen) that
// is between a letter and the end of a line, and whose next line begins with a letter after any number of blanks; with
// it go the line break (LF or CRLF) and the blanks. Returns the number of bytes written.
std::size_t join_hyphens(std::string_view text, char* out);

// Throws Error(invalid_argument) if words are to be joined, for verbs that say where in a text something is.
void refuse_joined(const InputOptions& input);

// Calls `work`, which must outlive the result, with the joined texts of every batch.
BatchWork joining_hyphens(const BatchWork& work, unsigned threads, MemoryBudget& budget);

}  // namespace refrain::corpus
