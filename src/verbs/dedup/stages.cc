#include "verbs/dedup/stages.h"

#include <algorithm>
#include <string>

#include "base/machine.h"
#include "base/progress.h"
#include "base/threads.h"
#include "refrain/report_json.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/libraries/libraries.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/report/report.h"
#include "verbs/dedup/state/second_reading.h"

namespace refrain::verbs::dedup {

namespace {

// Fills in what no single stage finds.
void fill_report(DedupRun& run) {
  DedupReport& report = run.report;
  report.kept = report.read.documents - report.removed_exact - report.removed_near - report.removed_substring -
                report.removed_against - report.overrides.removed;
  if (run.near != nullptr) run.near->fill(report);
  report.temp_peak_bytes = run.temp.peak_bytes() + run.dir.work_bytes();
  report.peak_rss_bytes = peak_rss_bytes();
}

// Writes the report, with the figures of all earlier stages.
void report_stage(DedupRun& run) {
  fill_report(run);
  dedup_report(run);
}

bool near_is_off(const DedupOptions& options) {
  return options.near == NearMethod::off;
}
bool checks_nothing(const DedupOptions& options) {
  return near_is_off(options) || options.sample == 0;
}
bool writes_files(const DedupOptions& options) {
  return options.input.documents == nullptr;
}
bool applies(const DedupOptions& options) {
  return options.apply;
}
bool reads_back(const DedupOptions& options) {
  return options.read_back;
}
bool annotates(const DedupOptions& options) {
  return options.annotate;
}
bool writes_parquet(const DedupOptions& options) {
  return options.tables == Tables::parquet;
}
bool writes_attributes(const DedupOptions& options) {
  return options.attributes != Attributes::none;
}

// clang-format off
constexpr Stage kStages[] = {
    {.name = kReadStage, .work = dedup_read, .weight = 120, .idles = near_is_off, .idle_weight = 60},
    {.name = "overrides", .work = dedup_overrides, .weight = 2, .runs = reads_overrides},
    {.name = "exact", .work = dedup_exact, .weight = 7},
    {.name = "templates", .work = dedup_templates, .weight = 5, .runs = uses_templates},
    {.name = "known", .work = dedup_known, .weight = 10, .runs = looks_up},
    {.name = kAgainstStage, .work = dedup_against, .weight = 120, .runs = searches_against},
    {.name = "near", .work = dedup_candidates, .weight = 13, .idles = near_is_off},
    {.name = "verify", .work = dedup_verify, .weight = 30, .idles = near_is_off},
    {.name = "cluster", .work = dedup_cluster, .weight = 1},
    {.name = "decide", .work = dedup_decide, .weight = 1},
    {.name = "check", .work = dedup_check, .weight = 120, .idles = checks_nothing},
    {.name = "substrings", .work = dedup_substrings, .weight = 300, .section = "sample", .part = 0.3,
     .runs = cuts_substrings},
    {.name = kWriteStage, .work = dedup_write, .weight = 20, .runs = writes_files},
    {.name = "tables", .work = dedup_tables, .weight = 20, .runs = writes_parquet},
    {.name = kApplyStage, .work = dedup_apply, .weight = 75, .section = "write", .runs = applies},
    {.name = "read-back", .work = dedup_read_back, .weight = 60, .runs = reads_back},
    {.name = "annotate", .work = dedup_annotate, .weight = 85, .section = "write", .runs = annotates},
    {.name = "attributes", .work = dedup_attributes, .weight = 80, .runs = writes_attributes},
    {.name = "library", .work = dedup_library, .weight = 8, .runs = updates_library},
    {.name = "report", .work = report_stage, .weight = 2, .runs = writes_files},
};
// clang-format on

bool runs(const Stage& stage, const DedupOptions& options) {
  return stage.runs == nullptr || stage.runs(options);
}

}  // namespace

std::span<const Stage> all_stages() {
  return kStages;
}

std::vector<run::RunStage> stages_of(const DedupOptions& options) {
  std::vector<run::RunStage> stages;
  for (const Stage& stage : kStages) {
    if (!runs(stage, options)) continue;
    const bool idles = stage.idles != nullptr && stage.idles(options);
    stages.push_back({.name = std::string(stage.name),
                      .weight = idles ? stage.idle_weight : stage.weight,
                      .section = std::string(stage.section),
                      .part = stage.part});
  }
  return stages;
}

void run_stages(DedupRun& run, run::RunProgress& whole) {
  run::Facts& facts = run.dir.facts();
  std::vector<StageCost>& costs = run.report.stages;
  RssWatch memory;
  for (const Stage& stage : kStages) {
    if (!runs(stage, run.options)) continue;
    const std::string name(stage.name);
    const bool ran = run.dir.stage(name, [&] {
      whole.begin(name);
      if (run.context.progress) run.context.progress({.stage = name, .unit = ""});
      memory.take();
      const Stopwatch watch;
      stage.work(run);
      costs.push_back({name, watch.seconds(), 0, memory.take()});
      facts.put("costs", costs);
      facts.put("run", run);
    });
    if (ran) continue;
    facts.get("run", run);
    if (stage.name == kReadStage && writes_files(run.options)) check_unchanged(run);
    whole.skip(name);
    run.report.resumed.push_back(name);
    std::vector<StageCost> earlier;
    facts.get("costs", earlier);
    // The costs are matched by name, because `read_back` may be added or dropped when a run is resumed.
    for (const StageCost& cost : earlier)
      if (cost.stage == name) costs.push_back(cost);
  }
  fill_report(run);
  if (!writes_files(run.options)) return;
  run.close_texts();
  run.dir.finish(to_json(run.options, run.report));
}

}  // namespace refrain::verbs::dedup
