// The programs `simhash-find-all` and `simhash-find-clusters`, which have the flags and exit codes of simhash-cpp.
//
// They exist for scripts that use those older programs, and differ only in the verb that they call.
#pragma once

#include <functional>
#include <string_view>

#include "refrain/hamming.h"

namespace refrain::cli {

using HashListVerb = std::function<HashListReport(const HashListOptions&, const Context&)>;

// `summary` is a sentence for the help. Returns the exit code: 0 done, 1 unknown flag or any other failure, 2 no valid
// number of blocks, 3 no valid distance, 5 not enough memory or disk, 6 blocks not above distance or too many, 7 input
// missing, 8 other failures to read or write, 9 a bad line, 130 interrupted.
int run_hash_list(int argc, char** argv, std::string_view name, std::string_view summary, const HashListVerb& verb);

}  // namespace refrain::cli
