// The verbs of an index, and the server, as the command line runs them.
#pragma once

#include "faces/cli/table/parser.h"

namespace refrain::cli {

// For Verb::index and its members, and Verb::serve. Throws what the verb throws. Returns the exit code.
int run_index_verb(const Invocation& invocation);

}  // namespace refrain::cli
