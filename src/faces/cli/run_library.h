// The verbs of a library, as the command line runs them.
#pragma once

#include "faces/cli/table/parser.h"

namespace refrain::cli {

// For Verb::library and its members. Throws what the verb throws. Returns the exit code.
int run_library_verb(const Invocation& invocation);

}  // namespace refrain::cli
