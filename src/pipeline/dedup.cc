#include "refrain/dedup.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/path.h"
#include "base/progress.h"
#include "base/rss_watch.h"
#include "base/threads.h"
#include "corpus/rewrite.h"
#include "corpus/walk.h"
#include "pipeline/column.h"
#include "pipeline/dedup_against.h"
#include "pipeline/dedup_run.h"
#include "pipeline/input_identity.h"
#include "pipeline/read_facts.h"
#include "pipeline/reference_search.h"
#include "pipeline/run_progress.h"
#include "pipeline/slice_file.h"
#include "pipeline/sources.h"
#include "refrain/error.h"
#include "refrain/report_json.h"
#include "refrain/substrings.h"
#include "refrain/version.h"
#include "sketch/minhash.h"
#include "text/windows.h"

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
  if (!(options.against_share >= kLeastShare && options.against_share <= 1))
    throw Error(Errc::invalid_argument, "--against-share: must be from 0.6 to 1");
  if (options.against_passage < 8 || options.against_passage > kMostWhole)
    throw Error(Errc::invalid_argument, fmt::format("--against-passage: must be from 8 to {}", kMostWhole));
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
  check_named(options.input);
  if (!options.against.paths.empty()) check_named(options.against);
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
    const FeaturePlan plan(options.windows);
  if (options.near == NearMethod::minhash) {
    [[maybe_unused]] const MinHash minhash(options.lanes, options.windows.seed);
    choose_bands(options.threshold, options.recall, options.lanes);
  }
  if (options.near == NearMethod::simhash && options.distance > 63)
    throw Error(Errc::invalid_argument, "--distance: must be from 0 to 63");
  if (options.apply || options.annotate)
    check_rewritable(options.input, context, options.apply && options.substrings != 0, options.annotate);
  if (options.read_back && !options.apply)
    throw Error(Errc::invalid_argument, "--read-back: reads what --apply has written; give that too");
  check_attributes(options, context);
  if (options.resume && (names_standard_input(options.input) || names_standard_input(options.against)))
    throw Error(Errc::invalid_argument, "--resume: what came from standard input cannot be known again");
  if (options.resume && options.force)
    throw Error(Errc::invalid_argument, "--resume: goes on with a run; --force begins anew; give one of them");
}

// All that the answer depends on.
std::string identity(const DedupOptions& options) {
  const FingerprintOptions& windows = options.windows;
  std::string text = fmt::format(
      "refrain dedup {}\nfingerprint {} minhash {}\nexact {}\nnear {}\ntokenizer {}\nhash {}\nwindow {}\nseed "
      "{}\nthreshold {}\n"
      "recall {}\nlanes {}\ndistance {} close {} short {}\nsubstrings {}\nkeep {}\nsource_field {}\nalarm "
      "{}\nmax_removed {}\nsample "
      "{}\napply "
      "{}\nannotate {}\nattributes {}\n",
      kVersion, kFingerprintVersion, kMinHashVersion, options.exact, static_cast<int>(options.near),
      static_cast<int>(windows.tokenizer), static_cast<int>(windows.hash), windows.window, windows.seed,
      options.threshold, options.recall, options.lanes, options.distance, options.close, options.short_bytes,
      options.substrings, to_string(options.keep), options.source_field, options.alarm, options.max_removed_per_source,
      options.sample, options.apply, options.annotate, static_cast<int>(options.attributes));
  const InputOptions& input = options.input;
  fmt::format_to(std::back_inserter(text),
                 "format {}\ntext_field {}\nid_field {}\nmax_doc_bytes {}\nbinary {}\nstrict {}\n",
                 static_cast<int>(input.format), input.text_field, input.id_field, input.max_doc_bytes, input.binary,
                 input.strict);
  for (const std::string& word : windows.stop_words) text += "stop_word " + word + "\n";
  const InputOptions& against = options.against;
  if (!against.paths.empty())
    fmt::format_to(std::back_inserter(text),
                   "against min {} share {} passage {} action {}\nformat {}\ntext_field {}\nid_field {}\n{}",
                   options.against_min, options.against_share, options.against_passage,
                   static_cast<int>(options.against_action), static_cast<int>(against.format), against.text_field,
                   against.id_field, input_identity(against));
  return text + input_identity(input);
}

void fill_report(DedupRun& run) {
  const Facts& facts = run.dir.facts();
  DedupReport& report = run.report;
  report.read = kept_read(facts);
  report.too_short = facts.number("too_short");
  report.unranked = facts.number("unranked");
  report.absent_sources = facts.text("absent_sources");
  report.unsourced = facts.number("unsourced");
  report.shared_ids = facts.number("shared_ids");
  report.shared_id = facts.text("shared_id");
  report.removed_exact = facts.number("removed_exact");
  report.removed_near = facts.number("removed_near");
  report.removed_against = facts.number("removed_against");
  if (run.against()) report.against = against_report(run);
  if (run.options.substrings != 0) {
    report.removed_substring = facts.number("substring.emptied");
    report.ranges = facts.number("substring.ranges");
    report.repeated_bytes = facts.number("substring.repeated_bytes");
    report.cut_bytes = facts.number("substring.removed_bytes");
    report.cut_documents = facts.number("substring.changed");
  }
  report.kept = report.read.documents - report.removed_exact - report.removed_near - report.removed_substring -
                report.removed_against;
  report.candidates = facts.number("candidates");
  report.compared = facts.number("compared");
  report.matches = facts.number("matches") + facts.number("exact");
  report.rounds = facts.number("rounds");
  report.clusters = facts.number("clusters");
  report.clustered = facts.number("clustered");
  report.largest_cluster = facts.number("largest_cluster");
  if (report.clusters != 0) {
    SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
    ids.get(facts.number("largest_document"), report.largest_representative);
  }
  report.bands = static_cast<unsigned>(facts.number("bands"));
  report.rows = static_cast<unsigned>(facts.number("rows"));
  report.sources = facts.number("sources");
  report.alarms = noted_alarms(facts);
  report.check = {.sampled = facts.number("check.sampled"),
                  .missed = facts.number("check.missed"),
                  .removals = facts.number("check.removals"),
                  .wrongful = facts.number("check.wrongful"),
                  .recall = facts.real("check.recall"),
                  .recall_low = facts.real("check.recall_low"),
                  .recall_high = facts.real("check.recall_high"),
                  .wrongful_high = facts.real("check.wrongful_high")};
  if (run.options.apply) report.written_bytes = facts.number("written_bytes");
  if (run.options.read_back) report.read_back = facts.number("read_back");
  report.temp_peak_bytes = run.temp.peak_bytes() + run.dir.work_bytes();
  report.peak_rss_bytes = peak_rss_bytes();
}

}  // namespace

Ranks::Ranks(MemoryBudget& budget, std::uint64_t documents)
    : size_(documents), documents_(budget, "the ranks"), ranks_(budget, "the ranks") {}

Ranks::Ranks(MemoryBudget& budget, const Array<std::uint64_t>& keys)
    : size_(keys.size()), documents_(budget, "the ranks", keys.size()), ranks_(budget, "the ranks", keys.size()) {
  std::iota(documents_.begin(), documents_.end(), DocId{0});
  std::sort(documents_.begin(), documents_.end(),
            [&](DocId a, DocId b) { return keys[a] != keys[b] ? keys[a] < keys[b] : a < b; });
  for (std::uint64_t rank = 0; rank < size_; ++rank) ranks_[documents_[rank]] = rank;
}

DedupRun::DedupRun(const DedupOptions& options_in, const Context& context_in)
    : options(options_in),
      context(context_in),
      threads(thread_count(context_in)),
      budget(context_in),
      temp(context_in),
      dir({.target = options_in.output,
           .verb = "dedup",
           .identity = identity(options_in),
           .resume = options_in.resume,
           .force = options_in.force,
           .outputs = {"decisions.jsonl", "matches.tsv", "clusters.tsv", "substring_bytes.tsv", "against.jsonl",
                       "clean", "annotated", "attributes", "report.html"}},
          budget) {
  report.threads = threads;
  report.memory_bytes = budget.ceiling();
}

Ranks DedupRun::ranks() {
  if (options.keep.rank == Rank::first) return {budget, documents()};
  return {budget, load_column<std::uint64_t>(dir.work("keys"), budget, "what documents are ranked by")};
}

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
    options.threshold = kSimHashThreshold;
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
std::vector<RunStage> stages_of(const DedupOptions& options) {
  const bool near = options.near != NearMethod::off;
  std::vector<RunStage> stages = {{.name = "read", .weight = near ? 120.0 : 60.0}, {.name = "exact", .weight = 7}};
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

void run_stages(DedupRun& run, RunProgress& whole) {
  const DedupOptions& options = run.options;
  RssWatch memory;
  const auto stage = [&](const char* name, void (*work)(DedupRun&)) {
    Facts& facts = run.dir.facts();
    const bool ran = run.dir.stage(name, [&] {
      whole.begin(name);
      if (run.context.progress) run.context.progress({.stage = name, .unit = ""});
      memory.take();
      const Stopwatch watch;
      work(run);
      facts.set(fmt::format("cost.{}.seconds", name), watch.seconds());
      facts.set(fmt::format("cost.{}.memory", name), memory.take());
    });
    if (!ran) {
      whole.pass(name);
      run.report.resumed.emplace_back(name);
    }
    run.report.stages.push_back(
        {name, facts.real(fmt::format("cost.{}.seconds", name)), 0, facts.number(fmt::format("cost.{}.memory", name))});
  };
  stage("read", dedup_read);
  stage("exact", dedup_exact);
  if (run.against()) stage("against", dedup_against);
  stage("near", dedup_candidates);
  stage("verify", dedup_verify);
  stage("cluster", dedup_cluster);
  stage("decide", dedup_decide);
  stage("check", dedup_check);
  if (options.substrings != 0) stage("substrings", dedup_substrings);
  stage("write", dedup_write);
  if (options.apply) stage("apply", dedup_apply);
  if (options.read_back) stage("read-back", dedup_read_back);
  if (options.annotate) stage("annotate", dedup_annotate);
  if (options.attributes != Attributes::none) stage("attributes", dedup_attributes);
  fill_report(run);
  stage("report", dedup_report);
  run.report.kept_bytes = run.dir.facts().number("kept_bytes");
  run.report.peak_rss_bytes = peak_rss_bytes();
  run.dir.finish(to_json(options, run.report));
}

}  // namespace

DedupReport dedup(const DedupOptions& options, const Context& context) {
  check(options, context);
  // Every report of a stage tells how far the whole run is.
  RunProgress whole(stages_of(options));
  const Stopwatch watch;
  Context shown = context;
  if (context.progress)
    shown.progress = [&](const ProgressUpdate& update) {
      ProgressUpdate both = update;
      both.run = whole.update(update, watch.seconds());
      context.progress(both);
    };
  DedupRun run(options, shown);
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
