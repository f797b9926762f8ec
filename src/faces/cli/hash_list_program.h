// The programs `simhash-find-all` and `simhash-find-clusters`, whose flags and exit codes are those of simhash-cpp.
//
// They stand beside `refrain` for whoever has scripts around the older programs, and differ from each other in one
// call.
#pragma once

#include <functional>
#include <string_view>

#include "refrain/hamming.h"

namespace refrain::cli {

using HashListVerb = std::function<HashListReport(const HashListOptions&, const Context&)>;

// `summary` is a sentence for the help. Returns the exit code: 0 done, 1 unknown flag or any other failure, 2 no
// blocks, 3 no distance, 5 memory, 6 blocks not above distance or too many tables, 7 cannot read, 8 cannot write, 9 a
// bad line, 130 interrupted.
int run_hash_list(int argc, char** argv, std::string_view name, std::string_view summary, const HashListVerb& verb);

}  // namespace refrain::cli
