// Runs verbs for the command line: turns settings into options, calls the functions of include/refrain, and prints the
// summary.
#pragma once

#include <span>

#include "faces/cli/table/parser.h"

namespace refrain::cli {

// What runs a verb, and returns its exit code.
struct VerbRun {
  Verb verb;
  int (*run)(const Settings& settings);
};

// The verbs of `refrain index`, with `refrain serve`, and those of `refrain library`.
std::span<const VerbRun> index_runs();
std::span<const VerbRun> library_runs();

// Runs the requested verb, prints its result, and returns the exit code. Throws what the verb throws.
int run_verb(const Invocation& invocation);

// The whole program `refrain`: reads the command line, runs the verb, reports errors, and returns the exit code.
int run_refrain(int argc, char** argv);

}  // namespace refrain::cli
