#include "cli/run_verbs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <fstream>
#include <iterator>
#include <new>
#include <string_view>
#include <vector>

#include "cli/completion.h"
#include "cli/explain_view.h"
#include "cli/help.h"
#include "cli/man_page.h"
#include "cli/options.h"
#include "cli/process.h"
#include "cli/progress_view.h"
#include "cli/summary.h"
#include "cli/terminal.h"
#include "cli/text_view.h"
#include "refrain/error.h"
#include "refrain/report_json.h"
#include "refrain/version.h"

namespace refrain::cli {

namespace {

// What surrounds a verb at work: signals and progress. Gone before anything is printed about the result.
class Session {
 public:
  explicit Session(const Settings& settings)
      : watcher_("refrain"), view_(look_of(STDERR_FILENO)), context_(run_context(settings)) {
    context_.stop = watcher_.token();
    if (!settings.quiet) context_.progress = [this](const ProgressUpdate& update) { view_.show(update); };
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Context& context() const { return context_; }

 private:
  SignalWatcher watcher_;
  ProgressView view_;
  Context context_;
};

void print(std::string_view text) {
  StandardOutput out;
  out.write(text);
  out.flush();
}

void remark(std::string_view text) {
  if (!text.empty()) write_error(fmt::format("refrain: {}", text));
}

void run_near(const Settings& settings) {
  const NearOptions options = near_options(settings);
  const auto start = std::chrono::steady_clock::now();
  const NearReport report = [&] {
    const Session session(settings);
    return near(options, session.context());
  }();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (settings.json) {
    // The file that the verb wrote is the one JSON summary there is.
    const std::string path = (options.output / "summary.json").string();
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (text.empty()) throw Error(Errc::io, fmt::format("{}: cannot be read back", path));
    print(text.ends_with('\n') ? text : text + "\n");
    if (!settings.quiet) remark(bad_record_remark(report.read));
  } else if (!settings.quiet) {
    print(near_summary(report, options, seconds, look_of(STDOUT_FILENO)));
  }
}

// A summary for verbs whose standard output is data.
void summarize(const Settings& settings, std::string_view line, std::string_view json) {
  if (settings.json) {
    write_error(json);
  } else if (!settings.quiet && look_of(STDERR_FILENO).terminal) {
    remark(line);
  }
}

void run_fingerprint(const Settings& settings) {
  const InputOptions input = input_options(settings, settings.operands);
  const FingerprintOptions options = fingerprint_options(settings);
  StandardOutput out;
  const FingerprintReport report = [&] {
    const Session session(settings);
    FingerprintReport made =
        fingerprint(input, options, session.context(), [&out](std::string_view rows) { out.write(rows); });
    out.flush();
    return made;
  }();
  if (!settings.quiet) remark(bad_record_remark(report.read));
  summarize(settings, fingerprint_summary(report), to_json(report));
}

void run_match(const Settings& settings) {
  const MatchOptions options = match_options(settings);
  StandardOutput out(/*buffered=*/false);
  const MatchReport report = [&] {
    const Session session(settings);
    return match(options, session.context(), [&out](std::string_view rows) { out.write(rows); });
  }();
  summarize(settings, match_summary(report), to_json(report));
}

void run_explain(const Settings& settings) {
  const ExplainOptions options = explain_options(settings);
  const ExplainReport report = [&] {
    const Session session(settings);
    return explain(options, session.context());
  }();
  const unsigned distance = distance_of(settings);
  print(settings.json ? to_json(report, distance)
                      : explain_text(report, distance, options.fingerprint.window, look_of(STDOUT_FILENO)));
}

void run_help(const Settings& settings) {
  print(settings.operands.empty() ? program_help()
                                  : verb_help(find_verb(settings.operands.front()).value_or(Verb::help)));
}

void complain(std::string_view message) {
  write_error(fmt::format("refrain: {}\n", printable(message, true)));
}

}  // namespace

void run_verb(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  if (settings.version) return print(fmt::format("refrain {}\n", kVersion));
  if (settings.help) return print(verb_help(invocation.verb));
  switch (invocation.verb) {
    case Verb::near:
      return run_near(settings);
    case Verb::fingerprint:
      return run_fingerprint(settings);
    case Verb::match:
      return run_match(settings);
    case Verb::explain:
      return run_explain(settings);
    case Verb::completion:
      return print(completion_script(settings.operands.front()));
    case Verb::man:
      return print(man_page());
    case Verb::help:
      return run_help(settings);
  }
}

int run_refrain(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    run_verb(parse(arguments));
    return 0;
  } catch (const UsageError& error) {
    complain(error.what());
    write_error(fmt::format("try '{}'\n", error.help_command()));
    return exit_code(Errc::invalid_argument);
  } catch (const Error& error) {
    if (!is_broken_pipe(error)) complain(error.what());
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    complain("out of memory: the system grants no more; free some, or give a smaller --memory");
    return exit_code(Errc::over_budget);
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}

}  // namespace refrain::cli
