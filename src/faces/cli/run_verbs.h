// Runs verbs for the command line: turns settings into options, calls the functions of include/refrain, and prints the
// summary.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "faces/cli/process.h"
#include "faces/cli/table/flags.h"
#include "faces/cli/table/parser.h"
#include "faces/cli/view/progress.h"
#include "faces/cli/view/terminal.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::cli {

// A verb and the function that runs it. The function returns the exit code.
struct VerbRun {
  Verb verb;
  int (*run)(const Settings& settings);
};

// The verbs of `refrain index`, with `refrain serve`, and those of `refrain library` and `refrain overrides`.
std::span<const VerbRun> index_runs();
std::span<const VerbRun> library_runs();
std::span<const VerbRun> overrides_runs();

// Runs the requested verb, prints its result, and returns the exit code. Throws what the verb throws.
int run_verb(const Invocation& invocation);

// The whole program `refrain`: reads the command line, runs the verb, reports errors, and returns the exit code.
int run_refrain(int argc, char** argv);

// The environment of a verb on the command line: signals and progress while it works, and functions for its output.
//
// While this exists, a verb can run: signals stop it, and its progress is shown. Must be destroyed before the result is
// printed.
class Session {
 public:
  // A verb that has not ended `grace_seconds` after a stop request is forced to exit: see SignalWatcher.
  explicit Session(const Settings& settings, int grace_seconds = SignalWatcher::kGraceSeconds);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Context& context() const { return context_; }

 private:
  SignalWatcher watcher_;
  ProgressView view_;
  Context context_;
};

// Returns work(context), done in a session.
template <class Work>
auto in_session(const Settings& settings, Work work) {
  const Session session(settings);
  return work(session.context());
}

// Returns run(context, sink), the report of a verb that prints rows.
template <class Run>
auto print_rows(const Settings& settings, Run run, bool buffered = true) {
  StandardOutput out(buffered);
  return in_session(settings, [&](const Context& context) {
    auto report = run(context, [&out](std::string_view rows) { out.write_rows(rows); });
    out.flush();
    return report;
  });
}

// Writes data to standard output.
void print(std::string_view text);

// Prints a report: `json` if --json was given, otherwise `text`, unless --quiet was given.
void print_report(const Settings& settings, std::string_view text, std::string_view json);

// Writes a message to standard error: "refrain: ...". Does nothing if it is empty.
void remark(std::string_view text);

// Reports requested items that do not exist, as "WHAT: 'NAME'", one per line. Names only the first few.
void remark_unknown(std::string_view what, const std::vector<std::string>& unknown);

// Reports bad records, unreadable files and skipped files on standard error, unless --quiet was given.
void remark_on_reading(const Settings& settings, const ReadReport& read);

// Prints the summary of a verb whose standard output is data, on standard error: `json` if --json was given; otherwise
// `line`, if standard error is a terminal and --quiet was not given.
void summarize(const Settings& settings, std::string_view line, std::string_view json);

}  // namespace refrain::cli
