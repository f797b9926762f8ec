#include "faces/cli/run_verbs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <iterator>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faces/cli/manual/manual.h"
#include "faces/cli/process.h"
#include "faces/cli/table/flags.h"
#include "faces/cli/table/options.h"
#include "faces/cli/view/explain.h"
#include "faces/cli/view/remarks.h"
#include "faces/cli/view/summary.h"
#include "faces/cli/view/terminal.h"
#include "refrain/error.h"
#include "refrain/input.h"
#include "refrain/numbers.h"
#include "refrain/report_json.h"
#include "refrain/version.h"

namespace refrain::cli {

namespace {

// Recognizes the formats of the input, and reports them if `announce` is set. Unless the user names a field for ids,
// takes them from the field that was recognized, and does not require records to have it.
void recognize_input(const Settings& settings, InputOptions& input, const Context& context, bool announce) {
  input.listing = list_input(input, context);
  const InputSurvey survey = survey_input(input, context);
  if (!settings.has("id_field") && !survey.id_field.empty()) {
    input.id_field = survey.id_field;
    input.id_optional = true;
  }
  if (announce && !settings.quiet) remark(survey_remark(survey, input));
}

// Runs a verb that makes a folder. Prints its summary for people or, with --json, the summary.json that it wrote.
template <class Options, class Report>
Report make_folder(const Settings& settings, Options options, Report (*verb)(const Options&, const Context&),
                   std::string (*summary)(const Report&, const Options&, double, const Look&)) {
  const auto start = std::chrono::steady_clock::now();
  Report report = in_session(settings, [&](const Context& context) {
    recognize_input(settings, options.input, context, true);
    return verb(options, context);
  });
  if (settings.json) {
    const std::string path = (options.output / "summary.json").string();
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (text.empty() || file.bad()) throw Error(Errc::io, fmt::format("{}: cannot read back", path));
    print(text.ends_with('\n') ? text : text + "\n");
    if (!settings.quiet) remark(bad_record_remark(report.read));
  } else if (!settings.quiet) {
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    print(summary(report, options, time.count(), look_of(STDOUT_FILENO)));
  }
  if (!settings.quiet) remark(unreadable_remark(report.read));
  throw_if_nothing_read(report.read);
  return report;
}

int run_dedup(const Settings& settings) {
  DedupOptions options = dedup_options(settings);
  if (!settings.quiet)
    options.estimated = [folder = options.output.string()](const DedupEstimate& estimate) {
      for (const std::string& line : estimate_remarks(estimate, folder)) remark(line);
    };
  const DedupReport report = make_folder(settings, std::move(options), dedup, dedup_summary);
  if (settings.quiet) return 0;
  remark(unreadable_remark(report.against.read));
  for (const std::string& line : dedup_warnings(report)) remark(line);
  return 0;
}

int run_near(const Settings& settings) {
  make_folder(settings, near_options(settings), near, near_summary);
  return 0;
}

int run_substrings(const Settings& settings) {
  make_folder(settings, reading_options<SubstringsOptions>(settings), substrings, substrings_summary);
  return 0;
}

int run_ngrams_build(const Settings& settings) {
  make_folder(settings, reading_options<NgramsOptions>(settings), build_ngrams, ngrams_summary);
  return 0;
}

// Calls run(input, context, sink), which prints a row for each document of the input.
template <class Report, class Run>
int print_documents(const Settings& settings, Run run, std::string (*summary)(const Report&)) {
  InputOptions input = input_options(settings, settings.operands);
  const Report report = print_rows(settings, [&](const Context& context, const auto& sink) {
    recognize_input(settings, input, context, false);
    return run(input, context, sink);
  });
  remark_on_reading(settings, report.read);
  summarize(settings, summary(report), to_json(report));
  throw_if_nothing_read(report.read);
  return 0;
}

int run_fingerprint(const Settings& settings) {
  const FingerprintOptions options = given_options<FingerprintOptions>(settings);
  return print_documents(
      settings,
      [&](const InputOptions& input, const Context& context, const auto& sink) {
        return fingerprint(input, options, context, sink);
      },
      fingerprint_summary);
}

int run_text(const Settings& settings) {
  return print_documents(settings, plain_text, text_summary);
}

int run_match(const Settings& settings) {
  const MatchOptions options = match_options(settings);
  const MatchReport report = print_rows(
      settings, [&](const Context& context, const auto& sink) { return match(options, context, sink); },
      /*buffered=*/false);
  summarize(settings, match_summary(report), to_json(report));
  return 0;
}

int run_story(const Settings& settings) {
  const StoryOptions options = story_options(settings);
  const StoryReport story = in_session(settings, [&](const Context& context) { return tell_story(options, context); });
  print(settings.json ? to_json(story) : story_text(story, look_of(STDOUT_FILENO)));
  return 0;
}

int run_explain(const Settings& settings) {
  if (!settings.run.empty()) return run_story(settings);
  ExplainOptions options = explain_options(settings);
  const ExplainReport report = in_session(settings, [&](const Context& context) {
    if (!settings.in.empty()) recognize_input(settings, options.input, context, false);
    return explain(options, context);
  });
  print(settings.json ? to_json(options, report) : explain_text(options, report, look_of(STDOUT_FILENO)));
  return 0;
}

int run_ngrams_show(const Settings& settings) {
  const auto options = given_options(settings, NgramsShowOptions{.index = settings.operands.at(0)});
  const NgramsShowReport report = print_rows(
      settings, [&](const Context& context, const auto& sink) { return show_ngrams(options, context, sink); });
  summarize(settings, ngrams_show_summary(report), to_json(report));
  return 0;
}

// Returns 1 if no phrase was found, otherwise 0.
int run_ngrams_lookup(const Settings& settings) {
  const std::vector<std::string> phrases(settings.operands.begin() + 1, settings.operands.end());
  const NgramsLookupReport report = print_rows(settings, [&](const Context& context, const auto& sink) {
    return lookup_ngrams(settings.operands.front(), phrases, context, sink);
  });
  if (settings.json) write_error(to_json(report));
  if (!settings.quiet && !settings.json) {
    for (const std::string& phrase : report.missing)
      remark(fmt::format("not in the index: '{}'\n", printable(phrase, false)));
  }
  return report.found == 0 ? kExitNothingFound : 0;
}

int run_ngrams_stats(const Settings& settings) {
  const NgramsStats stats = ngrams_stats(settings.operands.front(), given_options<Context>(settings));
  print(settings.json ? to_json(stats) : ngrams_stats_text(stats));
  return 0;
}

int run_ngrams_check(const Settings& settings) {
  const std::string& index = settings.operands.front();
  const NgramsCheckReport report =
      in_session(settings, [&](const Context& context) { return check_ngrams(index, context); });
  print_report(settings, ngrams_check_text(index, report), to_json(report));
  return 0;
}

int run_devices(const Settings& settings) {
  const DeviceList list = devices();
  print(settings.json ? to_json(list) : devices_text(list));
  return 0;
}

int run_completion(const Settings& settings) {
  print(completion_script(settings.operands.front()));
  return 0;
}

int run_man(const Settings& /*settings*/) {
  if (::isatty(STDOUT_FILENO) != 1 || !show_page(man_page())) print(man_page());
  return 0;
}

int run_help(const Settings& settings) {
  print(settings.operands.empty() ? program_help()
                                  : verb_help(find_verb(settings.operands.front()).value_or(Verb::help)));
  return 0;
}

constexpr VerbRun kRuns[] = {
    {Verb::dedup, run_dedup},
    {Verb::near, run_near},
    {Verb::fingerprint, run_fingerprint},
    {Verb::text, run_text},
    {Verb::match, run_match},
    {Verb::explain, run_explain},
    {Verb::substrings, run_substrings},
    {Verb::ngrams_build, run_ngrams_build},
    {Verb::ngrams_show, run_ngrams_show},
    {Verb::ngrams_lookup, run_ngrams_lookup},
    {Verb::ngrams_stats, run_ngrams_stats},
    {Verb::ngrams_check, run_ngrams_check},
    {Verb::devices, run_devices},
    {Verb::completion, run_completion},
    {Verb::man, run_man},
    {Verb::help, run_help},
};

void complain(std::string_view message) {
  write_error(fmt::format("refrain: {}\n", printable(message, true)));
}

}  // namespace

int run_verb(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  if (settings.version) {
    print(fmt::format("refrain {}\n", kVersion));
    return 0;
  }
  if (settings.help) {
    print(verb_help(invocation.verb));
    return 0;
  }
  for (const std::span<const VerbRun> runs :
       {std::span<const VerbRun>(kRuns), index_runs(), library_runs(), overrides_runs()})
    for (const VerbRun& row : runs)
      if (row.verb == invocation.verb) return row.run(settings);
  print(verb_help(invocation.verb));  // a family of verbs
  return 0;
}

int run_refrain(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    return run_verb(parse(arguments));
  } catch (const UsageError& error) {
    complain(error.what());
    write_error(fmt::format("try '{}'\n", error.help_command()));
    return exit_code(Errc::invalid_argument);
  } catch (const Error& error) {
    if (!is_broken_pipe(error)) complain(in_flags(error));
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    complain("out of memory: the system has no more; free some, or lower --memory");
    return exit_code(Errc::over_budget);
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}

Session::Session(const Settings& settings, int grace_seconds)
    : watcher_("refrain", grace_seconds), view_(look_of(STDERR_FILENO)), context_(given_options<Context>(settings)) {
  prepare_memory(context_);
  context_.stop = watcher_.token();
  context_.spell = message_spelling;
  if (!settings.quiet) context_.progress = [this](const ProgressUpdate& update) { view_.show(update); };
}

void print(std::string_view text) {
  StandardOutput out;
  out.write(text);
  out.flush();
}

void print_report(const Settings& settings, std::string_view text, std::string_view json) {
  if (settings.json || !settings.quiet) print(settings.json ? json : text);
}

void remark(std::string_view text) {
  if (!text.empty()) write_error(fmt::format("refrain: {}", text));
}

void remark_unknown(std::string_view what, const std::vector<std::string>& unknown) {
  constexpr std::size_t kShown = 10;
  const std::size_t shown = std::min(unknown.size(), kShown);
  for (std::size_t i = 0; i < shown; ++i) remark(fmt::format("{}: '{}'\n", what, printable(unknown[i], false)));
  if (shown < unknown.size()) remark(fmt::format("{}: {} more\n", what, count_text(unknown.size() - shown)));
}

void remark_on_reading(const Settings& settings, const ReadReport& read) {
  if (settings.quiet) return;
  remark(bad_record_remark(read) + unreadable_remark(read));
  if (!settings.json) remark(skipped_remark(read, settings.has("skipped")));
}

void summarize(const Settings& settings, std::string_view line, std::string_view json) {
  if (settings.json) {
    write_error(json);
  } else if (!settings.quiet && look_of(STDERR_FILENO).terminal) {
    remark(line);
  }
}

}  // namespace refrain::cli
