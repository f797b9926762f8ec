#include "refrain/dedup.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/files/path.h"
#include "base/progress.h"
#include "base/rss_watch.h"
#include "base/threads.h"
#include "corpus/rewrite/rewrite.h"
#include "corpus/source/walk.h"
#include "refrain/error.h"
#include "refrain/report_json.h"
#include "refrain/substrings.h"
#include "text/windows.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/against/reference_search.h"
#include "verbs/dedup/find/find.h"
#include "verbs/dedup/identity.h"
#include "verbs/dedup/near/finder.h"
#include "verbs/dedup/output/output.h"
#include "verbs/dedup/report/report.h"
#include "verbs/dedup/state/run.h"
#include "verbs/run/progress.h"
#include "verbs/run/slice_file.h"

namespace refrain {

namespace {

bool names_standard_input(const InputOptions& input) {
  return std::ranges::find(input.paths, "-") != input.paths.end();
}

void check_against(const DedupOptions& options) {
  if (options.against.paths.empty()) return;
  if (names_standard_input(options.input) && names_standard_input(options.against))
    throw Error(Errc::invalid_argument, "--against -: standard input is the corpus already; name a file");
  if (options.against_min == 0) throw Error(Errc::invalid_argument, "--against-min: must be at least 1");
  if (!(options.against_share >= verbs::dedup::kLeastShare && options.against_share <= 1))
    throw Error(Errc::invalid_argument, "--against-share: must be from 0.6 to 1");
  if (options.against_passage < 8 || options.against_passage > verbs::dedup::kMostWhole)
    throw Error(Errc::invalid_argument,
                fmt::format("--against-passage: must be from 8 to {}", verbs::dedup::kMostWhole));
}

// Neither may what is read lie where the run writes, nor the run write where it reads.
void check_apart(const InputOptions& input, const std::filesystem::path& output) {
  for (const std::string& path : input.paths) {
    if (path == "-") continue;
    if (lies_in(path, output) || lies_in(output, path))
      throw Error(Errc::invalid_argument,
                  fmt::format("{}: the input and the output folder {} lie in each other; name an output elsewhere with "
                              "-o DIR",
                              path, output.string()));
  }
}

void check(const DedupOptions& options, const Context& context) {
  if (options.input.paths.empty())
    throw Error(Errc::invalid_argument, "no input; name files or folders, or - for standard input");
  corpus::check_named(options.input);
  if (!options.against.paths.empty()) corpus::check_named(options.against);
  check_apart(options.input, options.output);
  check_apart(options.against, options.output);
  check_against(options);
  if (!options.exact && options.near == NearMethod::off && options.substrings == 0 && options.against.paths.empty())
    throw Error(Errc::invalid_argument, "--exact off --near off: nothing is left to look for");
  if (options.substrings != 0 && (options.substrings < kMinSubstringLength || options.substrings > kMaxSubstringLength))
    throw Error(Errc::invalid_argument, fmt::format("--substrings: must be off, or from {} to {} bytes",
                                                    kMinSubstringLength, kMaxSubstringLength));
  if (!(options.threshold > 0 && options.threshold <= 1))
    throw Error(Errc::invalid_argument, "--threshold: must be above 0, and at most 1");
  // They refuse what they cannot be made of.
  if (options.near != NearMethod::off) [[maybe_unused]]
    const text::FeaturePlan plan(options.windows);
  verbs::dedup::make_finder(options);
  if (options.apply || options.annotate)
    corpus::check_rewritable(options.input, context, options.apply && options.substrings != 0, options.annotate);
  if (options.read_back && !options.apply)
    throw Error(Errc::invalid_argument, "--read-back: reads what --apply has written; give that too");
  verbs::dedup::check_attributes(options, context);
  if (options.resume && (names_standard_input(options.input) || names_standard_input(options.against)))
    throw Error(Errc::invalid_argument, "--resume: what came from standard input cannot be known again");
  if (options.resume && options.force)
    throw Error(Errc::invalid_argument, "--resume: goes on with a run; --force begins anew; give one of them");
}

void fill_report(verbs::dedup::DedupRun& run) {
  const verbs::run::Facts& facts = run.dir.facts();
  DedupReport& report = run.report;
  const auto read = facts.get<verbs::dedup::ReadFacts>();
  report.read = read.report;
  report.too_short = read.too_short;
  report.unranked = read.unranked;
  report.absent_sources = read.absent_sources;
  report.unsourced = read.unsourced;
  report.shared_ids = read.shared_ids;
  report.shared_id = read.shared_id;
  report.sources = read.sources;
  if (run.against()) report.against = facts.get<verbs::dedup::AgainstFacts>().report;
  const auto verify = facts.get<verbs::dedup::VerifyFacts>();
  report.candidates = verify.candidates;
  report.compared = verify.compared;
  report.matches = verify.matches + facts.get<verbs::dedup::ExactFacts>().copies;
  report.rounds = verify.rounds;
  const auto cluster = facts.get<verbs::dedup::ClusterFacts>();
  report.clusters = cluster.clusters;
  report.clustered = cluster.clustered;
  report.largest_cluster = cluster.largest;
  if (report.clusters != 0) {
    verbs::run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
    ids.get(cluster.largest_document, report.largest_representative);
  }
  const auto decide = facts.get<verbs::dedup::DecideFacts>();
  report.removed_exact = decide.exact;
  report.removed_near = decide.near;
  report.removed_against = decide.against;
  report.alarms = facts.get<verbs::dedup::AlarmFacts>().sources;
  report.check = facts.get<verbs::dedup::CheckFacts>().check;
  if (run.options.substrings != 0) {
    const auto substrings = facts.get<verbs::dedup::SubstringFacts>();
    report.removed_substring = substrings.emptied;
    report.ranges = substrings.ranges;
    report.repeated_bytes = substrings.repeated_bytes;
    report.cut_bytes = substrings.removed_bytes;
    report.cut_documents = substrings.changed;
  }
  report.kept = report.read.documents - report.removed_exact - report.removed_near - report.removed_substring -
                report.removed_against;
  if (run.options.apply) report.written_bytes = facts.get<verbs::dedup::ApplyFacts>().written_bytes;
  if (run.options.read_back) report.read_back = facts.get<verbs::dedup::ReadBackFacts>().documents;
  if (run.near != nullptr) run.near->fill(report);
  report.temp_peak_bytes = run.temp.peak_bytes() + run.dir.work_bytes();
  report.peak_rss_bytes = peak_rss_bytes();
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
    options.substrings = 100;
  } else {
    throw Error(Errc::invalid_argument, fmt::format("--preset {}: no such preset; give report or strict", name));
  }
  return options;
}

namespace {

// The stages of a run and what they cost, against each other: milliseconds for 10 MB of text, measured over 300 MB.
std::vector<verbs::run::RunStage> stages_of(const DedupOptions& options) {
  const bool near = options.near != NearMethod::off;
  std::vector<verbs::run::RunStage> stages = {{.name = "read", .weight = near ? 120.0 : 60.0},
                                              {.name = "exact", .weight = 7}};
  if (!options.against.paths.empty()) stages.push_back({.name = "against", .weight = 120});
  stages.push_back({.name = "near", .weight = near ? 13.0 : 1.0});
  stages.push_back({.name = "verify", .weight = near ? 30.0 : 1.0});
  stages.push_back({.name = "cluster", .weight = 1});
  stages.push_back({.name = "decide", .weight = 1});
  stages.push_back({.name = "check", .weight = near && options.sample != 0 ? 120.0 : 1.0});
  if (options.substrings != 0)
    stages.push_back({.name = "substrings", .weight = 300, .section = "sample", .part = 0.3});
  stages.push_back({.name = "write", .weight = 20});
  if (options.apply) stages.push_back({.name = "apply", .weight = 75, .section = "write"});
  if (options.read_back) stages.push_back({.name = "read-back", .weight = 60});
  if (options.annotate) stages.push_back({.name = "annotate", .weight = 85, .section = "write"});
  if (options.attributes != Attributes::none) stages.push_back({.name = "attributes", .weight = 80});
  stages.push_back({.name = "report", .weight = 2});
  return stages;
}

void run_stages(verbs::dedup::DedupRun& run, verbs::run::RunProgress& whole) {
  const DedupOptions& options = run.options;
  RssWatch memory;
  const auto stage = [&](const char* name, void (*work)(verbs::dedup::DedupRun&)) {
    verbs::run::Facts& facts = run.dir.facts();
    const bool ran = run.dir.stage(name, [&] {
      whole.begin(name);
      if (run.context.progress) run.context.progress({.stage = name, .unit = ""});
      memory.take();
      const Stopwatch watch;
      work(run);
      run.report.stages.push_back({name, watch.seconds(), 0, memory.take()});
      facts.put(verbs::dedup::CostFacts{run.report.stages});
    });
    if (!ran) {
      whole.pass(name);
      run.report.resumed.emplace_back(name);
      run.report.stages = facts.get<verbs::dedup::CostFacts>().stages;
    }
  };
  stage("read", verbs::dedup::dedup_read);
  stage("exact", verbs::dedup::dedup_exact);
  if (run.against()) stage("against", verbs::dedup::dedup_against);
  stage("near", verbs::dedup::dedup_candidates);
  stage("verify", verbs::dedup::dedup_verify);
  stage("cluster", verbs::dedup::dedup_cluster);
  stage("decide", verbs::dedup::dedup_decide);
  stage("check", verbs::dedup::dedup_check);
  if (options.substrings != 0) stage("substrings", verbs::dedup::dedup_substrings);
  stage("write", verbs::dedup::dedup_write);
  if (options.apply) stage("apply", verbs::dedup::dedup_apply);
  if (options.read_back) stage("read-back", verbs::dedup::dedup_read_back);
  if (options.annotate) stage("annotate", verbs::dedup::dedup_annotate);
  if (options.attributes != Attributes::none) stage("attributes", verbs::dedup::dedup_attributes);
  fill_report(run);
  stage("report", verbs::dedup::dedup_report);
  run.report.kept_bytes = run.dir.facts().get<verbs::dedup::ReportFacts>().kept_bytes;
  run.report.peak_rss_bytes = peak_rss_bytes();
  run.dir.finish(to_json(options, run.report));
}

}  // namespace

DedupReport dedup(const DedupOptions& options, const Context& context) {
  check(options, context);
  // Every report of a stage tells how far the whole run is.
  verbs::run::RunProgress whole(stages_of(options));
  const Stopwatch watch;
  Context shown = context;
  if (context.progress)
    shown.progress = [&](const ProgressUpdate& update) {
      ProgressUpdate both = update;
      both.run = whole.update(update, watch.seconds());
      context.progress(both);
    };
  const std::unique_ptr<verbs::dedup::NearFinder> near = verbs::dedup::make_finder(options);
  verbs::dedup::DedupRun run(options, shown, near.get(), verbs::dedup::identity(options, near.get()));
  try {
    run.report.estimate = dedup_estimate(options, context);
    if (options.estimated) options.estimated(run.report.estimate);
    run_stages(run, whole);
  } catch (const Error& error) {
    // What is wrong with the input or the options stays wrong, and what was decided is worth keeping; all else may be
    // resumed. After the input was read, what is missing is a file of the run.
    const Errc code = error.code();
    const bool begins = !run.dir.ended("read");
    const bool stays =
        code == Errc::bad_input ||
        (begins && (code == Errc::invalid_argument || code == Errc::unsupported || code == Errc::not_found));
    if (stays && !run.dir.ended("write")) run.dir.abandon();
    throw;
  }
  return run.report;
}

}  // namespace refrain
