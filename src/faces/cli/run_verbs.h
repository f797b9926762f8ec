// The verbs as the command line runs them: options in, the library's verb, summary out.
#pragma once

#include "faces/cli/table/parser.h"

namespace refrain::cli {

// Runs what was asked for and prints its result. Throws what the verb throws. Returns the exit code.
int run_verb(const Invocation& invocation);

// The whole of `refrain`: reads the command line, runs the verb, tells what went wrong. Returns the exit code.
int run_refrain(int argc, char** argv);

}  // namespace refrain::cli
