#include <fmt/format.h>

#include <string>

#include "faces/cli/process.h"
#include "faces/cli/run_verbs.h"
#include "faces/cli/table/options.h"
#include "faces/cli/view/summary.h"
#include "faces/cli/view/terminal.h"
#include "refrain/error.h"
#include "refrain/library.h"
#include "refrain/report_json.h"

namespace refrain::cli {

namespace {

const std::string& library_of(const Settings& settings) {
  return settings.operands.front();
}

int run_library_stats(const Settings& settings) {
  const LibraryStats stats = library_stats(library_of(settings));
  print(settings.json ? to_json(stats) : library_stats_text(stats));
  return 0;
}

// Returns 4 if the library is damaged, even if it was repaired, because a repair loses documents; otherwise 0.
int run_library_check(const Settings& settings) {
  const LibraryCheckReport report = in_session(
      settings, [&](const Context& context) { return library_check(library_of(settings), context, settings.repair); });
  for (const std::string& damage : report.damages) remark(fmt::format("{}\n", printable(damage, false)));
  print_report(settings, library_check_text(library_of(settings), report), to_json(report));
  return report.damages.empty() ? 0 : exit_code(Errc::corrupt);
}

int run_library_merge(const Settings& settings) {
  const std::string& library = library_of(settings);
  const LibraryWriteReport report =
      in_session(settings, [&](const Context& context) { return library_merge(library, context); });
  print_report(settings, merged_summary(library, report.merged_segments, report.library_bytes, report.segments),
               to_json(report, "library merge"));
  return 0;
}

// Returns 1 if the library held none of the documents, otherwise 0.
int run_library_remove(const Settings& settings) {
  const LibraryRemoveOptions options = library_remove_options(settings);
  const LibraryWriteReport report = in_session(
      settings, [&](const Context& context) { return library_remove(library_of(settings), options, context); });
  if (!settings.quiet && !settings.json) {
    remark_unknown("not in the library", report.unknown_ids);
    remark_unknown("no document of this source", report.unknown_sources);
  }
  print_report(settings, removed_summary(library_of(settings), report.removed), to_json(report, "library remove"));
  return report.removed == 0 && !(options.ids.empty() && options.sources.empty()) ? kExitNothingFound : 0;
}

int run_library_export(const Settings& settings) {
  const LibraryExportReport report = print_rows(settings, [&](const Context& context, const auto& sink) {
    return library_export(library_of(settings), context, [&](const LibraryDocument& row) { sink(to_json(row)); });
  });
  summarize(settings, library_export_summary(report), to_json(report));
  return 0;
}

constexpr VerbRun kLibraryRuns[] = {
    {Verb::library_stats, run_library_stats},   {Verb::library_check, run_library_check},
    {Verb::library_merge, run_library_merge},   {Verb::library_remove, run_library_remove},
    {Verb::library_export, run_library_export},
};

}  // namespace

std::span<const VerbRun> library_runs() {
  return kLibraryRuns;
}

}  // namespace refrain::cli
