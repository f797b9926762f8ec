#include "refrain/dedup.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/files/path.h"
#include "base/files/temp_space.h"
#include "base/progress.h"
#include "corpus/files/walk.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/source/stream.h"
#include "engines/library/folder.h"
#include "refrain/error.h"
#include "refrain/options.h"
#include "refrain/survey.h"
#include "text/windows.h"
#include "verbs/dedup/against/reference_search.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/identity.h"
#include "verbs/dedup/libraries/libraries.h"
#include "verbs/dedup/libraries/remember.h"
#include "verbs/dedup/memory.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/stages.h"
#include "verbs/dedup/state/run.h"
#include "verbs/known/take_up.h"
#include "verbs/run/option_rows.h"
#include "verbs/run/progress.h"

namespace refrain {

namespace {

bool names_standard_input(const InputOptions& input) {
  return std::ranges::find(input.paths, "-") != input.paths.end();
}

void check_against(const DedupOptions& options) {
  if (options.against.empty()) return;
  if (names_standard_input(options.input) && names_standard_input(options.against))
    throw Error(Errc::invalid_argument, "--against -: standard input is already the corpus; name a file");
  if (!(options.against_share >= verbs::dedup::kLeastShare && options.against_share <= 1))
    throw Error(Errc::invalid_argument, "--against-share: must be from 0.6 to 1");
}

// The input may not be inside the output folder, nor the output folder inside the input.
void check_apart(const InputOptions& input, const std::filesystem::path& output) {
  if (output.empty()) return;  // documents in memory have no output folder
  for (const std::string& path : input.paths) {
    if (path == "-") continue;
    if (is_within(path, output) || is_within(output, path))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: input and output folder {} overlap; choose another output with -o DIR", path,
                              output.string()));
  }
}

void check_known(const DedupOptions& options) {
  if (options.known.empty() && options.library.empty()) return;
  const char* flag = options.library.empty() ? "--known" : "--library";
  if (options.near == NearMethod::simhash)
    throw Error(Errc::invalid_argument, fmt::format("{}: libraries hold MinHash signatures; use --near minhash", flag));
  if (options.input.documents != nullptr)
    throw Error(Errc::invalid_argument, fmt::format("{}: not possible with documents in memory; name files", flag));
  if (!options.library.empty() && options.forget)
    throw Error(Errc::invalid_argument, "--forget: cannot be combined with --library; remove one of them");
  for (const std::filesystem::path& known : options.known)
    if (is_within(known, options.output))
      throw Error(
          Errc::invalid_argument,
          fmt::format("--known {}: lies in the output folder; choose another output with -o DIR", known.string()));
  if (!options.library.empty() &&
      (is_within(options.library, options.output) || is_within(options.output, options.library)))
    throw Error(Errc::invalid_argument,
                fmt::format("--library {}: overlaps with the output folder {}; choose another with -o DIR",
                            options.library.string(), options.output.string()));
}

void check(const DedupOptions& options, const Context& context) {
  if (options.input.empty())
    throw Error(Errc::invalid_argument, "no input; name files or folders, or - for standard input");
  corpus::check_named(options.input);
  if (!options.against.empty()) corpus::check_named(options.against);
  check_apart(options.input, options.output);
  check_apart(options.against, options.output);
  check_against(options);
  check_known(options);
  if (!options.exact && options.near == NearMethod::off && options.substrings == 0 && options.against.empty())
    throw Error(Errc::invalid_argument, "--exact off --near off: nothing to search for; turn one of them on");
  if (!(options.threshold > 0 && options.threshold <= 1))
    throw Error(Errc::invalid_argument, "--threshold: must be above 0 and at most 1");
  verbs::run::check_options(input_option_table(), options.input);
  verbs::run::check_options(dedup_option_table(), options);
  // Constructing these validates the options.
  if (options.near != NearMethod::off) [[maybe_unused]]
    const text::FeaturePlan plan(options.windows);
  const std::unique_ptr<verbs::dedup::NearFinder> finder = verbs::dedup::make_finder(options);
  verbs::dedup::near_device(options, finder.get());
  if (options.apply || options.annotate)
    corpus::check_rewritable(options.input, context, options.apply && options.substrings != 0, options.annotate);
  if (options.read_back && !options.apply) throw Error(Errc::invalid_argument, "--read-back: needs --apply; add it");
  verbs::dedup::check_attributes(options, context);
  if (options.resume && (names_standard_input(options.input) || names_standard_input(options.against)))
    throw Error(Errc::invalid_argument, "--resume: not possible with standard input; write it to a file first");
  if (options.resume && options.force)
    throw Error(Errc::invalid_argument, "--resume: cannot be combined with --force; remove one of them");
}

}  // namespace

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
    throw Error(Errc::invalid_argument, fmt::format("--preset {}: unknown preset; use report or strict", name));
  }
  return options;
}

namespace {

// Runs all stages, then calls then(run) while the run still exists.
template <class Then>
DedupReport run_dedup(const DedupOptions& options, const Context& context, Then then) {
  check(options, context);
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
  const std::optional<Bands> bands = verbs::dedup::check_libraries(options);
  const std::unique_ptr<verbs::dedup::NearFinder> near = verbs::dedup::make_finder(options, bands);
  // The library is locked, because the run adds to what it looked up.
  std::unique_ptr<library::LibraryWriter> library;
  if (!options.library.empty()) {
    library = verbs::dedup::open_library(options, near.get());
    MemoryBudget budget(context);
    TempSpace temp(context);
    verbs::known::commit_waiting_texts(*library, options.library, context, budget, temp);
  }
  verbs::dedup::DedupRun run(options, shown, near.get(), verbs::dedup::identity(options, near.get()));
  run.library = library.get();
  try {
    run.report.estimate = dedup_estimate(options, context);
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

DedupReport dedup(const DedupOptions& asked, const Context& context) {
  DedupOptions options = asked;
  options.input.as_is = asked.input.as_is || asked.substrings != 0;  // its ranges refer to the bytes of a file
  options.against.as_is = options.input.as_is;                       // the same treatment of texts on both sides
  if (asked.substrings != 0) options.input.html = HtmlPart::text;
  options.against.html = options.input.html;
  options.against.compare = options.input.compare;
  options.input.listing = list_input(options.input, context);
  options.against.listing = list_input(options.against, context);
  return run_dedup(options, context, [](verbs::dedup::DedupRun&) {});
}

DedupResult dedup(DocumentStream& documents, const DedupOptions& options, const Context& context) {
  DedupOptions over = options;
  over.input = corpus::over_stream(options.input, documents, options.output);
  verbs::dedup::check_memory(options);
  DedupResult result;
  run_dedup(over, context, [&](verbs::dedup::DedupRun& run) { verbs::dedup::list_decisions(run, result); });
  return result;
}

}  // namespace refrain
