#include "faces/cli/run_verbs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string_view>
#include <vector>

#include "faces/cli/manual/completion.h"
#include "faces/cli/manual/help.h"
#include "faces/cli/manual/man_page.h"
#include "faces/cli/process.h"
#include "faces/cli/run_index.h"
#include "faces/cli/run_library.h"
#include "faces/cli/session.h"
#include "faces/cli/table/options.h"
#include "faces/cli/view/estimate.h"
#include "faces/cli/view/explain.h"
#include "faces/cli/view/show_page.h"
#include "faces/cli/view/summary.h"
#include "faces/cli/view/terminal.h"
#include "faces/cli/view/text.h"
#include "faces/cli/view/warnings.h"
#include "refrain/error.h"
#include "refrain/report_json.h"
#include "refrain/survey.h"
#include "refrain/version.h"

namespace refrain::cli {

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Ends a verb that made a folder: prints its summary for people or, with --json, the summary.json that the verb wrote.
void conclude(const Settings& settings, const std::filesystem::path& folder, const ReadReport& read,
              const std::string& summary) {
  if (settings.json) {
    const std::string path = (folder / "summary.json").string();
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (text.empty() || file.bad()) throw Error(Errc::io, fmt::format("{}: cannot read back", path));
    print(text.ends_with('\n') ? text : text + "\n");
    if (!settings.quiet) remark(bad_record_remark(read));
  } else if (!settings.quiet) {
    print(summary);
  }
  if (!settings.quiet) remark(unreadable_remark(read));
  throw_if_nothing_read(read);
}

// Recognizes the formats of the input, and reports them if `announce` is set. Unless the user names a field for ids, takes
// them from the field that was recognized, and does not require records to have it.
void recognize_input(const Settings& settings, InputOptions& input, const Context& context, bool announce) {
  const InputSurvey survey = survey_input(input, context);
  if (!settings.has("id_field") && !survey.id_field.empty()) {
    input.id_field = survey.id_field;
    input.id_optional = true;
  }
  if (announce && !settings.quiet) remark(survey_remark(survey, input));
}

void run_dedup(const Settings& settings) {
  DedupOptions options = dedup_options(settings);
  if (!settings.quiet)
    options.estimated = [&](const DedupEstimate& estimate) {
      for (const std::string& line : estimate_remarks(estimate, options.output.string())) remark(line);
    };
  const auto start = std::chrono::steady_clock::now();
  const DedupReport report = [&] {
    const Session session(settings);
    recognize_input(settings, options.input, session.context(), true);
    return dedup(options, session.context());
  }();
  conclude(settings, options.output, report.read,
           dedup_summary(report, options, seconds_since(start), look_of(STDOUT_FILENO)));
  if (settings.quiet) return;
  remark(unreadable_remark(report.against.read));
  for (const std::string& line : dedup_warnings(report)) remark(line);
}

void run_near(const Settings& settings) {
  NearOptions options = near_options(settings);
  const auto start = std::chrono::steady_clock::now();
  const NearReport report = [&] {
    const Session session(settings);
    recognize_input(settings, options.input, session.context(), true);
    return near(options, session.context());
  }();
  conclude(settings, options.output, report.read,
           near_summary(report, options, seconds_since(start), look_of(STDOUT_FILENO)));
}

void run_substrings(const Settings& settings) {
  SubstringsOptions options = substrings_options(settings);
  const auto start = std::chrono::steady_clock::now();
  const SubstringsReport report = [&] {
    const Session session(settings);
    recognize_input(settings, options.input, session.context(), true);
    return substrings(options, session.context());
  }();
  conclude(settings, options.output, report.read,
           substrings_summary(report, options, seconds_since(start), look_of(STDOUT_FILENO)));
}

// Runs make(context, sink), a verb that prints rows, and returns its report.
template <class Make>
auto print_rows(const Settings& settings, Make make) {
  StandardOutput out;
  const Session session(settings);
  auto report = make(session.context(), [&out](std::string_view rows) { out.write_rows(rows); });
  out.flush();
  return report;
}

// Ends a verb that printed rows.
void conclude(const Settings& settings, const ReadReport& read, const std::string& summary, const std::string& json) {
  if (!settings.quiet) remark(bad_record_remark(read) + unreadable_remark(read));
  if (!settings.quiet && !settings.json) remark(skipped_remark(read, settings.has("skipped")));
  summarize(settings, summary, json);
  throw_if_nothing_read(read);
}

void run_fingerprint(const Settings& settings) {
  InputOptions input = input_options(settings, settings.operands);
  const FingerprintOptions options = fingerprint_options(settings);
  const FingerprintReport report = print_rows(settings, [&](const Context& context, const auto& sink) {
    recognize_input(settings, input, context, false);
    return fingerprint(input, options, context, sink);
  });
  conclude(settings, report.read, fingerprint_summary(report), to_json(report));
}

void run_text(const Settings& settings) {
  InputOptions input = input_options(settings, settings.operands);
  const PlainTextReport report = print_rows(settings, [&](const Context& context, const auto& sink) {
    recognize_input(settings, input, context, false);
    return plain_text(input, context, sink);
  });
  conclude(settings, report.read, text_summary(report), to_json(report));
}

void run_match(const Settings& settings) {
  const MatchOptions options = match_options(settings);
  StandardOutput out(/*buffered=*/false);
  const MatchReport report = [&] {
    const Session session(settings);
    return match(options, session.context(), [&out](std::string_view rows) { out.write_rows(rows); });
  }();
  summarize(settings, match_summary(report), to_json(report));
}

void run_story(const Settings& settings) {
  const StoryOptions options = story_options(settings);
  const StoryReport story = [&] {
    const Session session(settings);
    return tell_story(options, session.context());
  }();
  print(settings.json ? to_json(story) : story_text(story, look_of(STDOUT_FILENO)));
}

void run_explain(const Settings& settings) {
  if (!settings.run.empty()) {
    run_story(settings);
    return;
  }
  ExplainOptions options = explain_options(settings);
  const ExplainReport report = [&] {
    const Session session(settings);
    if (!settings.in.empty()) recognize_input(settings, options.input, session.context(), false);
    return explain(options, session.context());
  }();
  const unsigned distance = near_distance(settings);
  print(settings.json ? to_json(report, distance)
                      : explain_text(report, distance, options.fingerprint.window, look_of(STDOUT_FILENO)));
}

void run_ngrams_build(const Settings& settings) {
  NgramsOptions options = ngrams_options(settings);
  const auto start = std::chrono::steady_clock::now();
  const NgramsReport report = [&] {
    const Session session(settings);
    recognize_input(settings, options.input, session.context(), true);
    return build_ngrams(options, session.context());
  }();
  conclude(settings, options.output, report.read,
           ngrams_summary(report, options, seconds_since(start), look_of(STDOUT_FILENO)));
}

void run_ngrams_show(const Settings& settings) {
  const NgramsShowOptions options = ngrams_show_options(settings);
  StandardOutput out;
  const NgramsShowReport report = [&] {
    const Session session(settings);
    NgramsShowReport shown =
        show_ngrams(options, session.context(), [&out](std::string_view rows) { out.write_rows(rows); });
    out.flush();
    return shown;
  }();
  summarize(settings, ngrams_show_summary(report), to_json(report));
}

// Returns 1 if no phrase was found, otherwise 0.
int run_ngrams_lookup(const Settings& settings) {
  const std::vector<std::string> phrases(settings.operands.begin() + 1, settings.operands.end());
  StandardOutput out;
  const NgramsLookupReport report = [&] {
    const Session session(settings);
    NgramsLookupReport found = lookup_ngrams(settings.operands.front(), phrases, session.context(),
                                             [&out](std::string_view rows) { out.write_rows(rows); });
    out.flush();
    return found;
  }();
  if (settings.json) write_error(to_json(report));
  if (!settings.quiet && !settings.json) {
    for (const std::string& phrase : report.missing)
      remark(fmt::format("not in the index: '{}'\n", printable(phrase, false)));
  }
  return report.found == 0 ? kExitNothingFound : 0;
}

void run_ngrams_stats(const Settings& settings) {
  const NgramsStats stats = ngrams_stats(settings.operands.front(), run_context(settings));
  print(settings.json ? to_json(stats) : ngrams_stats_text(stats));
}

void run_ngrams_check(const Settings& settings) {
  const NgramsCheckReport report = [&] {
    const Session session(settings);
    return check_ngrams(settings.operands.front(), session.context());
  }();
  if (settings.json) {
    print(to_json(report));
  } else if (!settings.quiet) {
    print(ngrams_check_text(settings.operands.front(), report));
  }
}

void run_devices(const Settings& settings) {
  const DeviceList list = devices();
  print(settings.json ? to_json(list) : devices_text(list));
}

void run_help(const Settings& settings) {
  print(settings.operands.empty() ? program_help()
                                  : verb_help(find_verb(settings.operands.front()).value_or(Verb::help)));
}

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
  switch (invocation.verb) {
    case Verb::dedup:
      run_dedup(settings);
      break;
    case Verb::near:
      run_near(settings);
      break;
    case Verb::substrings:
      run_substrings(settings);
      break;
    case Verb::fingerprint:
      run_fingerprint(settings);
      break;
    case Verb::text:
      run_text(settings);
      break;
    case Verb::match:
      run_match(settings);
      break;
    case Verb::explain:
      run_explain(settings);
      break;
    case Verb::ngrams:
      print(verb_help(Verb::ngrams));
      break;
    case Verb::ngrams_build:
      run_ngrams_build(settings);
      break;
    case Verb::ngrams_show:
      run_ngrams_show(settings);
      break;
    case Verb::ngrams_lookup:
      return run_ngrams_lookup(settings);
    case Verb::ngrams_stats:
      run_ngrams_stats(settings);
      break;
    case Verb::ngrams_check:
      run_ngrams_check(settings);
      break;
    case Verb::index:
    case Verb::index_create:
    case Verb::index_add:
    case Verb::index_remove:
    case Verb::index_merge:
    case Verb::index_query:
    case Verb::index_extract:
    case Verb::index_blots:
    case Verb::index_stats:
    case Verb::index_check:
    case Verb::serve:
      return run_index_verb(invocation);
    case Verb::library:
    case Verb::library_stats:
    case Verb::library_check:
    case Verb::library_merge:
    case Verb::library_remove:
    case Verb::library_export:
      return run_library_verb(invocation);
    case Verb::devices:
      run_devices(settings);
      break;
    case Verb::completion:
      print(completion_script(settings.operands.front()));
      break;
    case Verb::man:
      if (::isatty(STDOUT_FILENO) != 1 || !show_page(man_page())) print(man_page());
      break;
    case Verb::help:
      run_help(settings);
      break;
  }
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
    if (!is_broken_pipe(error)) complain(error.what());
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    complain("out of memory: the system has no more; free some, or lower --memory");
    return exit_code(Errc::over_budget);
  } catch (const std::exception& error) {
    complain(error.what());
    return 1;
  }
}

}  // namespace refrain::cli
