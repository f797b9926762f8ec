// Runs the verbs of a library for the command line.
#pragma once

#include "faces/cli/table/parser.h"

namespace refrain::cli {

// Runs Verb::library or one of its members, and returns the exit code. Throws what the verb throws.
int run_library_verb(const Invocation& invocation);

}  // namespace refrain::cli
