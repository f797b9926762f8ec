// Runs the verbs of an index, and `serve`, for the command line.
#pragma once

#include "faces/cli/table/parser.h"

namespace refrain::cli {

// Runs Verb::index, one of its members, or Verb::serve, and returns the exit code. Throws what the verb throws.
int run_index_verb(const Invocation& invocation);

}  // namespace refrain::cli
