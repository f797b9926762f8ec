#include "faces/cli/run_library.h"

#include <fmt/format.h>

#include <string>

#include "faces/cli/manual/help.h"
#include "faces/cli/process.h"
#include "faces/cli/session.h"
#include "faces/cli/table/options.h"
#include "faces/cli/view/library.h"
#include "faces/cli/view/terminal.h"
#include "faces/cli/view/text.h"
#include "refrain/error.h"
#include "refrain/library.h"
#include "refrain/report_json.h"

namespace refrain::cli {

namespace {

const std::string& library_of(const Settings& settings) {
  return settings.operands.front();
}

void conclude_library(const Invocation& invocation, const LibraryWriteReport& report, const std::string& summary) {
  if (invocation.settings.json)
    print(to_json(report, info(invocation.verb).name));
  else if (!invocation.settings.quiet)
    print(summary);
}

void run_library_stats(const Settings& settings) {
  const LibraryStats stats = library_stats(library_of(settings));
  print(settings.json ? to_json(stats) : library_stats_text(stats));
}

// Returns 4 if the library is damaged, even if it was repaired, because a repair loses documents; otherwise 0.
int run_library_check(const Settings& settings) {
  const LibraryCheckReport report = [&] {
    const Session session(settings);
    return library_check(library_of(settings), session.context(), settings.repair);
  }();
  for (const std::string& damage : report.damages) remark(fmt::format("{}\n", printable(damage, false)));
  if (settings.json)
    print(to_json(report));
  else if (!settings.quiet)
    print(library_check_text(library_of(settings), report));
  return report.damages.empty() ? 0 : exit_code(Errc::corrupt);
}

void run_library_merge(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const LibraryWriteReport report = [&] {
    const Session session(settings);
    return library_merge(library_of(settings), session.context());
  }();
  conclude_library(invocation, report, library_merge_summary(library_of(settings), report));
}

// Returns 1 if the library held none of the documents, otherwise 0.
int run_library_remove(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const LibraryRemoveOptions options = library_remove_options(settings);
  const LibraryWriteReport report = [&] {
    const Session session(settings);
    return library_remove(library_of(settings), options, session.context());
  }();
  if (!settings.quiet && !settings.json) {
    remark_unknown("not in the library", report.unknown_ids);
    remark_unknown("no document of this source", report.unknown_sources);
  }
  conclude_library(invocation, report, library_remove_summary(library_of(settings), report));
  return report.removed == 0 && !(options.ids.empty() && options.sources.empty()) ? kExitNothingFound : 0;
}

void run_library_export(const Settings& settings) {
  StandardOutput out;
  const LibraryExportReport report = [&] {
    const Session session(settings);
    const LibraryExportReport made = library_export(library_of(settings), session.context(),
                                                    [&](const LibraryDocument& row) { out.write_rows(to_json(row)); });
    out.flush();
    return made;
  }();
  summarize(settings, library_export_summary(report), to_json(report));
}

}  // namespace

int run_library_verb(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  switch (invocation.verb) {
    case Verb::library_stats:
      run_library_stats(settings);
      break;
    case Verb::library_check:
      return run_library_check(settings);
    case Verb::library_merge:
      run_library_merge(invocation);
      break;
    case Verb::library_remove:
      return run_library_remove(invocation);
    case Verb::library_export:
      run_library_export(settings);
      break;
    default:
      print(verb_help(Verb::library));
  }
  return 0;
}

}  // namespace refrain::cli
