#include "refrain/dedup.h"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/files/temp.h"
#include "base/progress.h"
#include "corpus/files/parquet_module.h"
#include "corpus/source/reader.h"
#include "engines/library/folder.h"
#include "refrain/error.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/libraries/libraries.h"
#include "verbs/dedup/make_plan.h"
#include "verbs/dedup/memory.h"
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/stages.h"
#include "verbs/dedup/state/run.h"
#include "verbs/known/take_up.h"
#include "verbs/run/progress.h"

namespace refrain {

std::vector<std::string_view> dedup_preset_names() {
  return {"report", "strict"};
}

DedupOptions dedup_preset(std::string_view name) {
  DedupOptions options;
  if (name == "strict") {
    options.threshold = 0.7;
    options.substrings = 200;
  } else if (name == "report") {
    const std::optional<Preset> same = preset("report");
    options.near = NearMethod::simhash;
    options.windows = same->fingerprint;
    options.threshold = near_method_info(options.near).threshold;
    options.distance = same->distance;
    options.close = 3;
    options.short_bytes = 1024;
    options.max_loss = kAnyLoss;  // like the report that it is named after
    options.substrings = 100;
  } else {
    throw Error(Errc::invalid_argument, fmt::format("`preset` {}: unknown preset; use report or strict", name));
  }
  return options;
}

namespace {

// Runs all stages, then calls then(run) while the run still exists.
template <class Then>
DedupReport run_dedup(const DedupOptions& asked, const Context& context, Then then) {
  const verbs::dedup::Plan plan = verbs::dedup::make_plan(asked, context);
  const DedupOptions& options = plan.options;
  // Every progress report of a stage also says how far the whole run is.
  verbs::run::RunProgress whole(verbs::dedup::stages_of(options));
  const Stopwatch watch;
  Context shown = context;
  if (context.progress)
    shown.progress = [&](const ProgressUpdate& update) {
      ProgressUpdate both = update;
      both.run = whole.update(update, watch.seconds());
      context.progress(both);
    };
  // The library is locked, because the run adds to what it looked up.
  std::unique_ptr<library::LibraryWriter> library;
  if (!options.library.empty()) {
    library = verbs::dedup::open_library(options, plan.near.get());
    MemoryBudget budget(context);
    TempSpace temp(context);
    verbs::known::commit_waiting_texts(*library, options.library, context, budget, temp);
  }
  verbs::dedup::DedupRun run(plan, shown);
  run.library = library.get();
  try {
    run.report.estimate = verbs::dedup::estimate(plan, context);
    if (options.tables == Tables::parquet) corpus::prepare_parquet(run.budget);  // charges it to the run's budget
    if (options.estimated) options.estimated(run.report.estimate);
    verbs::dedup::run_stages(run, whole);
    then(run);
  } catch (const Error& error) {
    // Wrong input or options stay wrong, so the run is abandoned, unless decisions were already written. After any
    // other error it can be resumed. Once the input has been read, an error such as not_found concerns a file of
    // the run.
    const Errc code = error.code();
    const bool begins = !run.dir.ended(verbs::dedup::kReadStage);
    const bool stays =
        code == Errc::bad_input ||
        (begins && (code == Errc::invalid_argument || code == Errc::unsupported || code == Errc::not_found));
    if (stays && !run.dir.ended(verbs::dedup::kWriteStage)) run.dir.abandon();
    throw;
  }
  return run.report;
}

}  // namespace

DedupReport dedup(const DedupOptions& options, const Context& context) {
  return run_dedup(options, context, [](verbs::dedup::DedupRun&) {});
}

DedupResult dedup(DocumentStream& documents, const DedupOptions& options, const Context& context) {
  DedupOptions over = options;
  over.input = corpus::over_stream(options.input, documents, options.output);
  DedupResult result;
  run_dedup(over, context, [&](verbs::dedup::DedupRun& run) { verbs::dedup::list_decisions(run, result); });
  return result;
}

}  // namespace refrain
