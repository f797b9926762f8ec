// Formats the results of verbs for people, as tables of figures.
#include "faces/cli/view/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faces/cli/table/numbers.h"
#include "faces/cli/view/remarks.h"
#include "faces/cli/view/terminal.h"

namespace refrain::cli {

// Each row has a label, a figure and remarks. The first remark is beside the figure; the others are on lines of their
// own below it. Empty remarks are left out.
class Table {
 public:
  void add(std::string_view label, std::string figure, std::vector<std::string> remarks = {}) {
    std::erase(remarks, "");
    label_width_ = std::max(label_width_, label.size());
    figure_width_ = std::max(figure_width_, figure.size());
    rows_.push_back({std::string(label), std::move(figure), std::move(remarks)});
  }

  // Adds the row only if it is to be shown.
  void add_if(bool shown, std::string_view label, std::string figure, std::vector<std::string> remarks = {}) {
    if (shown) add(label, std::move(figure), std::move(remarks));
  }

  std::string text() const {
    std::string out;
    for (const Row& row : rows_) {
      out += fmt::format("  {:<{}}  {:>{}}", row.label, label_width_, row.figure, figure_width_);
      for (std::size_t i = 0; i < row.remarks.size(); ++i) {
        if (i > 0) out += fmt::format("\n{:{}}", "", 4 + label_width_ + figure_width_);
        out += fmt::format("  {}", row.remarks[i]);
      }
      out += '\n';
    }
    return out;
  }

 private:
  struct Row {
    std::string label;
    std::string figure;
    std::vector<std::string> remarks;
  };
  std::vector<Row> rows_;
  std::size_t label_width_ = 0;
  std::size_t figure_width_ = 0;
};

namespace {

constexpr std::size_t kShownChanged = 3;

std::string grams_text(unsigned n) {
  return fmt::format("{}-grams", n);
}

std::string headline(const ReadReport& read, double seconds, unsigned threads, const Look& look) {
  std::string line = fmt::format("Read {}", reading_text(read, seconds));
  if (threads > 0) line += fmt::format(" on {}", count_of(threads, "thread"));
  return look.colour ? fmt::format("\x1b[1m{}.\x1b[0m\n\n", line) : fmt::format("{}.\n\n", line);
}

// Adds skipped files, recoded files and bad records. `kept` says what happened to the bad records.
void add_losses(Table& table, const ReadReport& read, const std::string& kept = {}) {
  table.add_if(!read.skipped.empty(), "skipped", count_of(read.skipped_files(), "file"), skipped_lines(read));
  table.add_if(read.other_skipped > 0, "not pages", count_of(read.other_skipped, "record"),
               {"of web archives; skipped"});
  table.add_if(read.recoded + read.replaced > 0, "recoded", count_text(read.recoded), recoded_lines(read));
  std::vector<std::string> remarks = example_lines(read);
  remarks.push_back(kept);
  table.add_if(read.bad_records > 0, "bad records", count_text(read.bad_records), std::move(remarks));
}

// Adds how much a GPU did, and what limited its speed.
void add_device(Table& table, const DeviceReport& device) {
  const std::string bound = device.bound_by.empty() ? ""
                                                    : fmt::format("; {} left to the CPU; bound by {}",
                                                                  count_text(device.left_to_cpu), device.bound_by);
  table.add_if(!device.name.empty() && device.name != "cpu", "on the GPU", count_text(device.documents),
               {printable(device.name, false) + bound,
                device.joined == 0 ? "" : count_text(device.joined) + " fingerprints compared"});
}

void add_memory(Table& table, std::uint64_t peak, std::uint64_t ceiling) {
  table.add_if(peak > 0, "peak memory", size_of(peak), {fmt::format("limit {}", size_of(ceiling))});
}

// Adds the temporary disk and the memory that a run took.
template <class Report>
void add_cost(Table& table, const Report& report) {
  table.add_if(report.temp_peak_bytes > 0, "temporary disk", size_of(report.temp_peak_bytes));
  add_memory(table, report.peak_rss_bytes, report.memory_bytes);
}

// Lists the files that a run wrote, except empty names. The list of skipped files and the summary are the last, unless
// there is a page.
std::string written_files(const std::filesystem::path& folder, const ReadReport& read,
                          std::vector<std::string_view> names, std::string_view page = {}) {
  for (const std::string_view name :
       {std::string_view(read.skipped.empty() ? "" : "skipped.tsv"), std::string_view("summary.json"), page})
    names.push_back(name);
  std::string out;
  for (const std::string_view name : names)
    if (!name.empty())
      out +=
          fmt::format("{}{}\n", out.empty() ? "\nWritten: " : "         ", printable((folder / name).string(), false));
  return out;
}

// Returns "fewer than 3 tokens, or pages of links": what makes a document too short to judge.
std::string too_short_text(unsigned window, const ReadReport& read, const InputOptions& input) {
  return fmt::format("fewer than {}{}", count_of(window, "token"),
                     read.pages > 0 && input.html == HtmlPart::main ? ", or pages of links" : "");
}

// Returns "3 items under 8 tokens, not searched for: 7, 12, 15".
std::string too_short_items(const AgainstReport& against, const DedupOptions& options) {
  constexpr std::size_t kShown = 3;
  std::string names;
  for (std::size_t i = 0; i < std::min(against.too_short_items.size(), kShown); ++i)
    names += (i == 0 ? "" : ", ") + printable(against.too_short_items[i], false);
  return fmt::format("{} under {}, not searched for: {}{}", count_of(against.too_short, "item"),
                     count_of(options.against_min, "token"), names, against.too_short > kShown ? ", ..." : "");
}

// Returns "9 for the loss alone; --max-loss 20 would let half of them go, 60 all". Empty if there are none.
std::string loss_decides(const OwnTextReport& own) {
  if (own.loss == 0) return "";
  std::string line =
      fmt::format("{} for the loss alone; --max-loss {} would let ", count_text(own.loss), own.loss_median);
  if (own.loss_median == own.loss_longest) return line + (own.loss == 1 ? "it go" : "all go");
  return line + fmt::format("half of them go, {} all", own.loss_longest);
}

std::string tokenizer_note(TokenizerKind tokenizer) {
  return "tokenizer: " + tokenizer_text(tokenizer_names()[static_cast<std::size_t>(tokenizer)]);
}

// Says how many documents of an index or a library are removed, but not merged away. Empty if there are none.
std::string unmerged(std::uint64_t removed) {
  return removed == 0 ? "" : fmt::format("{} more removed but not yet merged away", count_text(removed));
}

}  // namespace

std::string dedup_summary(const DedupReport& report, const DedupOptions& options, double seconds, const Look& look) {
  const std::uint64_t all = report.read.documents;
  const bool searches = !options.against.paths.empty();
  const AgainstReport& against = report.against;
  Table table;
  table.add("kept", count_text(report.kept), {fmt::format("{} of all", share_text(report.kept, all))});
  table.add_if(searches, options.against_action == AgainstAction::remove ? "contaminated" : "marked",
               count_text(against.documents),
               {fmt::format("{}; contain a test item", share_text(against.documents, all))});
  const std::string common =
      fmt::format("{} with common windows; edited copies may be missed", count_of(against.common, "item"));
  table.add_if(searches, "items found", count_text(against.found),
               {fmt::format("of {} in the --against set", count_of(against.items, "item")),
                against.too_short == 0 ? "" : too_short_items(against, options), against.common == 0 ? "" : common,
                against.read.bad_records == 0
                    ? ""
                    : fmt::format("{} could not be read", count_of(against.read.bad_records, "record")),
                against.read.skipped.empty() ? "" : fmt::format("skipped: {}", skipped_text(against.read))});
  const KnownReport& known = report.known;
  const std::string_view gone =
      options.trust_signatures ? "removed by signature alone" : "kept, though a signature matches";
  table.add_if(!options.known.empty() || !options.library.empty(), "known", count_text(known.exact + known.near),
               {fmt::format("{}; {} and {} of {} known already", share_text(known.exact + known.near, all),
                            count_of(known.exact, "copy", "copies"), count_of(known.near, "near-duplicate"),
                            count_of(known.documents, "document")),
                fmt::format("{} of old text read", size_of(known.bytes_read)),
                known.unverified == 0 ? ""
                                      : fmt::format("{} {}: the old text is gone or has changed",
                                                    count_of(known.unverified, "document"), gone)});
  const OverridesReport& overrides = report.overrides;
  table.add_if(overrides.decisions > 0, "decided by people", count_text(overrides.applied),
               {fmt::format("of {}; {} kept, {} removed", count_of(overrides.decisions, "decision"),
                            count_of(overrides.kept, "document"), count_text(overrides.removed))});
  table.add_if(options.exact, "exact copies", count_text(report.removed_exact),
               {share_text(report.removed_exact, all)});
  if (options.near != NearMethod::off) {
    table.add("near-duplicates", count_text(report.removed_near),
              {fmt::format("{}; similarity {:.3g} or more to a kept document", share_text(report.removed_near, all),
                           options.threshold)});
    const LossReport& loss = report.loss;
    table.add_if(
        loss.documents > 0, "lost with them", count_of(loss.tokens, "token"),
        {fmt::format("from {}; at most {} in a row", count_of(loss.documents, "document"), count_text(loss.longest))});
    table.add_if(
        loss.in_details > 0, "differ in details", count_text(loss.in_details),
        {fmt::format("removed, though a number ({}), negation ({}) or symbol ({}) differs; see report.html",
                     count_text(loss.in_numbers), count_text(loss.in_negations), count_text(loss.in_symbols))});
    table.add_if(report.own_text > 0, "kept for own text", count_text(report.own_text),
                 {options.max_loss == kAnyLoss ? "similar, but with attachments of their own"
                  : options.max_loss == kAutoLoss
                      ? "similar, but with too much text, symbols or attachments of their own"
                      : fmt::format("similar, but with more than {} in a row, symbols or attachments of their own",
                                    count_of(options.max_loss, "token")),
                  loss_decides(report.own_text_by)});
    const TemplateReport& left_out = report.templates;
    table.add_if(left_out.sources > 0, "templates left out", count_of(left_out.windows, "window"),
                 {fmt::format("shared within {}; {:.1f}% of their text", count_of(left_out.sources, "source"),
                              100 * left_out.share)});
    table.add_if(
        report.too_short > 0, "too short to judge", count_text(report.too_short),
        {too_short_text(options.windows.window, report.read, options.input) + "; only exact copies are removed"});
    const SelfCheck& check = report.check;
    const std::string recall = fmt::format("recall {:.1f}% (95% CI {:.1f} to {:.1f})", 100 * check.recall,
                                           100 * check.recall_low, 100 * check.recall_high);
    table.add_if(check.sampled > 0, "missed", count_text(check.missed),
                 {fmt::format("of {} checked by brute force", count_of(check.sampled, "kept document")),
                  report.removed_near == 0 ? "" : recall});
    table.add_if(
        check.removals > 0, "below threshold on recheck", count_text(check.below),
        {fmt::format("of {} rechecked; at most {:.1f}% (95% CI)", count_text(check.removals), 100 * check.below_high)});
  }
  const bool cuts = options.substrings != 0;
  table.add_if(
      cuts, "cut out", size_of(report.cut_bytes),
      {fmt::format("from {}; repeated ranges except their first copy", count_of(report.cut_documents, "document"))});
  table.add_if(cuts && report.removed_substring > 0, "nothing left", count_text(report.removed_substring),
               {"all of their text was cut"});
  table.add_if(report.clusters > 0, "clusters", count_text(report.clusters),
               {fmt::format("of {}", count_of(report.clustered, "document"))});
  table.add_if(report.clusters > 0, "largest cluster", count_text(report.largest_cluster),
               {fmt::format("first: {}", printable(report.largest_representative, false))});
  add_losses(table, report.read, options.apply ? "copied unchanged to clean/" : "");
  table.add_if(options.read_back, "read back", count_text(report.read_back), {"from clean/; all match the decisions"});
  add_device(table, report.device);
  add_cost(table, report);
  table.add_if(!options.library.empty(), "library", count_of(known.added, "document"),
               {fmt::format("added to {}", options.library.string())});
  const bool tables = options.tables == Tables::parquet;
  return headline(report.read, seconds, report.threads, look) + table.text() +
         written_files(
             options.output, report.read,
             {"decisions.jsonl", "matches.tsv", "clusters.tsv", tables ? "decisions.parquet" : "",
              tables ? "matches.parquet" : "", tables ? "clusters.parquet" : "", searches ? "against.jsonl" : "",
              cuts ? "substring_bytes.tsv" : "", options.apply ? "clean" : "", options.annotate ? "annotated" : "",
              options.attributes != Attributes::none ? "attributes" : ""},
             "report.html");
}

std::string near_summary(const NearReport& report, const NearOptions& options, double seconds, const Look& look) {
  Table table;
  const std::string near =
      options.distance == 0 ? "equal fingerprints" : fmt::format("at most {} of 64 bits differ", options.distance);
  table.add_if(options.verify, "candidate pairs", count_text(report.candidates), {near});
  table.add("near-duplicate pairs", count_text(report.matches),
            {options.verify ? fmt::format("similarity {:.3g} or more", options.threshold) : near});
  if (report.clusters > 0) {
    table.add("clusters", count_text(report.clusters));
    table.add("documents in them", count_text(report.clustered),
              {fmt::format("{} of all", share_text(report.clustered, report.read.documents))});
    table.add("largest cluster", count_text(report.largest_cluster),
              {fmt::format("first: {}", printable(report.largest_representative, false))});
  }
  table.add_if(report.too_short > 0, "too short", count_text(report.too_short),
               {too_short_text(options.fingerprint.window, report.read, options.input) + "; never matched"});
  add_losses(table, report.read);
  add_device(table, report.device);
  add_cost(table, report);
  const bool tables = options.tables == Tables::parquet;
  return headline(report.read, seconds, report.threads, look) + table.text() +
         written_files(
             options.output, report.read,
             {"matches.tsv", "clusters.tsv", tables ? "matches.parquet" : "", tables ? "clusters.parquet" : ""});
}

std::string substrings_summary(const SubstringsReport& report, const SubstringsOptions& options, double seconds,
                               const Look& look) {
  Table table;
  table.add(
      "repeated ranges", count_text(report.ranges),
      {fmt::format("at least {} bytes, at least {} times", count_text(options.length), count_text(options.min_count))});
  table.add("bytes in them", size_of(report.repeated_bytes),
            {fmt::format("{} of the text", share_text(report.repeated_bytes, report.read.text_bytes))});
  table.add("in documents", count_text(report.repeated_documents),
            {fmt::format("{} of all", share_text(report.repeated_documents, report.read.documents))});
  const std::string left = options.keep == Keep::first ? "keeping the first copy" : "keeping no copy";
  table.add_if(options.apply, "removed", size_of(report.removed_bytes),
               {fmt::format("from {}, {}", count_of(report.changed_documents, "document"), left)});
  table.add_if(!options.apply, "could be removed", size_of(report.removable_bytes), {left});
  for (std::size_t pass = 0; pass < report.pass_bytes.size(); ++pass) {
    const bool last = pass + 1 == report.pass_bytes.size();
    const bool clean = report.pass_bytes[pass] == 0;
    table.add(fmt::format("  pass {}", pass + 1), size_of(report.pass_bytes[pass]),
              {!last   ? ""
               : clean ? "nothing is left to cut"
                       : "the last one; run again on the clean copy"});
  }
  table.add_if(options.groups, "passages", count_text(report.passages),
               {fmt::format("in {}", count_of(report.places, "place"))});
  add_losses(table, report.read);
  add_cost(table, report);
  const bool more = options.apply && !options.until_clean && report.removed_bytes > 0;
  return headline(report.read, seconds, report.threads, look) + table.text() +
         written_files(options.output, report.read,
                       {"substring_bytes.tsv", options.text_csv.empty() ? "" : "sa.txt",
                        options.groups ? "passages.jsonl" : "", options.apply ? "clean" : ""}) +
         (more ? "\nA second pass may find more, because cutting brings text together that was\n"
                 "apart: --until-clean repeats until nothing is left to cut.\n"
               : "");
}

std::string ngrams_summary(const NgramsReport& report, const NgramsOptions& options, double seconds, const Look& look) {
  const std::string grams = grams_text(options.n);
  Table table;
  const bool timed = seconds > 0 && report.grams >= 1000000;
  table.add(grams, count_text(report.grams),
            {timed ? fmt::format("{:.1f} million per second", static_cast<double>(report.grams) / seconds / 1e6) : ""});
  table.add("in the index", count_text(report.entries), {fmt::format("each in at least {} places", options.m)});
  table.add("their places", count_text(report.places),
            {fmt::format("{} of all {}", share_text(report.places, report.grams), grams)});
  add_losses(table, report.read);
  add_cost(table, report);
  return headline(report.read, seconds, report.threads, look) + table.text() +
         written_files(options.output, report.read, {"grams.bin", "places.bin", "documents.bin"});
}

std::string devices_text(const DeviceList& list) {
  if (list.devices.empty()) return fmt::format("No GPU: {}\n", printable(list.missing, false));
  std::string out;
  for (const DeviceInfo& device : list.devices)
    out += fmt::format("{}: {} of memory, {} free, compute capability {}\n", printable(device.name, false),
                       size_of(device.memory_bytes), size_of(device.free_bytes), device.architecture);
  return out;
}

std::string ngrams_stats_text(const NgramsStats& stats) {
  const std::string grams = grams_text(stats.n);
  Table table;
  table.add("documents", count_text(stats.documents));
  table.add("tokens", count_text(stats.tokens), {tokenizer_note(stats.tokenizer)});
  table.add(grams, count_text(stats.grams));
  const auto share = [&](std::string_view name, std::uint64_t part, std::string_view meaning) {
    table.add(name, count_text(part), {fmt::format("{:>6}  {}", share_text(part, stats.grams), meaning)});
  };
  share("  single", stats.single, stats.m == 2 ? "occur once" : fmt::format("occur fewer than {} times", stats.m));
  share("  multi", stats.multi,
        stats.m == 2 ? "first occurrences of repeated ones"
                     : fmt::format("first occurrences of those with {} or more", stats.m));
  share("  repeat", stats.repeat, "further occurrences");
  const auto file = [&](std::string_view name, std::uint64_t bytes) {
    const double each = static_cast<double>(bytes) / static_cast<double>(stats.multi);
    table.add(name, size_of(bytes), {stats.multi == 0 ? "" : fmt::format("{:.1f} bytes per n-gram", each)});
  };
  file("grams.bin", stats.grams_bytes);
  file("places.bin", stats.places_bytes);
  file("documents.bin", stats.documents_bytes);
  std::string out = table.text();

  out += fmt::format("\nBuilt with algorithm {} in {} on {}.\n\n", printable(stats.algorithm, false),
                     seconds_text(stats.seconds), count_of(stats.threads, "thread"));
  Table built;
  built.add("passes", count_text(stats.passes));
  for (std::size_t i = 0; i < 3; ++i)
    built.add_if(stats.file_bytes[i] > 0, fmt::format("file F{}", i + 1), size_of(stats.file_bytes[i]));
  built.add_if(stats.sequence_bytes > 0, "sequence", size_of(stats.sequence_bytes));
  built.add("temporary disk", size_of(stats.temp_peak_bytes), {"peak"});
  add_memory(built, stats.peak_rss_bytes, stats.memory_bytes);
  for (const StageCost& stage : stats.stages)
    built.add(printable(stage.stage, false), seconds_text(stage.seconds),
              {stage.bytes > 0 ? size_of(stage.bytes) : ""});
  return out + built.text();
}

std::string ngrams_check_text(const std::string& index, const NgramsCheckReport& report) {
  return fmt::format("{}: OK: {} with {} in {}; {} read in {}\n", printable(index, false),
                     count_of(report.entries, "n-gram"), count_of(report.places, "place"),
                     count_of(report.documents, "document"), size_of(report.bytes), seconds_text(report.seconds));
}

std::string ngrams_show_summary(const NgramsShowReport& report) {
  return fmt::format("{} of {} in {}\n", count_of(report.rows, "row"), count_of(report.entries, "n-gram"),
                     seconds_text(report.seconds));
}

std::string index_add_summary(const std::string& index, const IndexWriteReport& report, double seconds,
                              const Look& look) {
  Table table;
  table.add("documents added", count_text(report.added),
            {report.replaced == 0 ? "" : fmt::format("{} replaced older ones", count_text(report.replaced))});
  table.add("tokens", count_text(report.tokens));
  table.add("posts", count_text(report.posts), {"blot occurrences"});
  table.add_if(report.stored_texts > 0, "texts stored", count_text(report.stored_texts),
               {"cannot be read again in place"});
  add_losses(table, report.read);
  table.add("index size", size_of(report.index_bytes), {fmt::format("in {}", count_of(report.segments, "segment"))});
  add_cost(table, report);
  return headline(report.read, seconds, report.threads, look) + table.text() +
         fmt::format("\nWritten: {}\n", printable(index, false));
}

std::string removed_summary(const std::string& folder, std::uint64_t removed) {
  return fmt::format("{}: {} removed\n", printable(folder, false), count_of(removed, "document"));
}

std::string merged_summary(const std::string& folder, std::uint64_t merged, std::uint64_t bytes,
                           std::uint64_t segments) {
  return fmt::format("{}: {}; {} in {}\n", printable(folder, false),
                     merged == 0 ? "nothing to merge" : fmt::format("{} merged", count_of(merged, "segment")),
                     size_of(bytes), count_of(segments, "segment"));
}

std::string index_stats_text(const IndexStats& stats) {
  const IndexLayout& layout = stats.layout;
  const std::uint64_t bytes = stats.posts_bytes + stats.documents_bytes + stats.texts_bytes + stats.other_bytes;
  Table table;
  table.add("documents", count_text(stats.documents), {unmerged(stats.removed)});
  table.add("text", size_of(stats.text_bytes));
  table.add("tokens", count_text(stats.tokens), {tokenizer_note(layout.tokenizer)});
  table.add("window", count_text(layout.window),
            {layout.interleave > 1 ? fmt::format("tokens, {} apart", layout.interleave) : "tokens"});
  table.add(
      "blots", count_text(stats.blots),
      {fmt::format("of {} bits; {}, {}", layout.blot_bits, blot_kind_names()[static_cast<std::size_t>(layout.blots)],
                   blot_sampling_names()[static_cast<std::size_t>(layout.sampling)])});
  table.add("posts", count_text(stats.posts));
  table.add("segments", count_text(stats.segments), {fmt::format("generation {}", stats.generation)});
  const auto part = [&](std::string_view name, std::uint64_t size) {
    // This may exceed 100%: an index of little text can be larger than the text.
    const double share = stats.text_bytes == 0 ? 0 : static_cast<double>(size) / static_cast<double>(stats.text_bytes);
    table.add(name, size_of(size), {fmt::format("{:>5.1f}% of the text", 100 * share)});
  };
  part("index size", bytes);
  part("  posts", stats.posts_bytes);
  part("  documents", stats.documents_bytes);
  if (stats.texts_bytes > 0) part("  texts", stats.texts_bytes);
  part("  other", stats.other_bytes);
  return table.text();
}

std::string index_check_text(const std::string& index, const IndexCheckReport& report) {
  const std::string contents = fmt::format("{} with {} in {}; {} read in {}", count_of(report.documents, "document"),
                                           count_of(report.posts, "post"), count_of(report.segments, "segment"),
                                           size_of(report.bytes), seconds_text(report.seconds));
  const std::string name = printable(index, false);
  if (report.damages.empty()) return fmt::format("{}: OK: {}\n", name, contents);
  if (!report.repaired)
    return fmt::format("{}: damaged in {}: {}\n", name, count_of(report.damages.size(), "place"), contents);
  return fmt::format("{}: repaired: {} rebuilt, {} lost\n", name, count_of(report.rebuilt_documents, "document"),
                     count_text(report.lost_documents));
}

std::string library_stats_text(const LibraryStats& stats) {
  Table table;
  table.add("documents", count_text(stats.documents), {unmerged(stats.removed)});
  table.add("text", size_of(stats.text_bytes), {"referred to, not stored"});
  table.add("keys", count_text(stats.keys), {fmt::format("by digest and {}", count_of(stats.bands, "band"))});
  table.add("segments", count_text(stats.segments), {fmt::format("generation {}", stats.generation)});
  const std::uint64_t all = stats.documents + stats.removed;
  const auto part = [&](std::string_view name, std::uint64_t size) {
    const double each = all == 0 ? 0 : static_cast<double>(size) / static_cast<double>(all);
    table.add(name, size_of(size), {fmt::format("{:>6.1f} bytes per document", each)});
  };
  part("library size", stats.documents_bytes + stats.ids_bytes + stats.names_bytes + stats.keys_bytes +
                           stats.filter_bytes + stats.other_bytes);
  part("  documents", stats.documents_bytes);
  part("  ids", stats.ids_bytes);
  part("  names", stats.names_bytes);
  part("  keys", stats.keys_bytes);
  part("  filter", stats.filter_bytes);
  part("  other", stats.other_bytes);
  const std::string waiting = fmt::format("{} not yet in a segment", count_of(stats.waiting_documents, "document"));
  table.add_if(stats.texts_bytes > 0, "texts", size_of(stats.texts_bytes),
               {stats.waiting_documents == 0 ? "" : waiting});
  for (const LibraryRule& rule : stats.rules)
    table.add(printable(rule.name, false), {}, {printable(rule.value, false)});
  return table.text();
}

std::string library_check_text(const std::string& library, const LibraryCheckReport& report) {
  const std::string contents = fmt::format("{} with {} in {}; {} read in {}", count_of(report.documents, "document"),
                                           count_of(report.keys, "key"), count_of(report.segments, "segment"),
                                           size_of(report.bytes), seconds_text(report.seconds));
  const std::string name = printable(library, false);
  if (report.damages.empty()) return fmt::format("{}: OK: {}\n", name, contents);
  if (report.repaired)
    return fmt::format("{}: repaired: {} dropped: {}\n", name, count_of(report.dropped, "damaged place"), contents);
  const std::string dropped =
      report.dropped == 0 ? "" : fmt::format("; {} dropped", count_of(report.dropped, "damaged place"));
  return fmt::format("{}: {} damaged{}: {}\n", name, count_of(report.damages.size(), "part"), dropped, contents);
}

std::string library_export_summary(const LibraryExportReport& report) {
  return fmt::format("{} in {}\n", count_of(report.documents, "document"), seconds_text(report.seconds));
}

std::string query_summary(const QueryReport& report) {
  return fmt::format("{} in {}, in {}; {} of {} compared\n", count_of(report.passages, "passage"),
                     count_of(report.occurrences, "place"), seconds_text(report.seconds), count_text(report.compared),
                     count_of(report.candidates, "candidate"));
}

std::string extract_summary(const ExtractReport& report) {
  return fmt::format("{} in {} of {}, in {}\n", count_of(report.passages, "passage"),
                     count_of(report.occurrences, "place"), count_of(report.documents, "document"),
                     seconds_text(report.seconds));
}

std::string overrides_check_text(const OverridesCheckReport& report) {
  std::string out;
  for (const OverrideEffect& effect : report.decisions) {
    const std::string_view op = override_op_name(effect.op);
    const std::string status = effect.status == OverrideStatus::not_found ? "not found"
                               : effect.status == OverrideStatus::stale   ? "stale"
                                                                          : "applies";
    std::string named;
    for (const OverrideDocument& document : effect.documents)
      named += (named.empty() ? "" : ", ") +
               (document.id ? printable(*document.id, false)
                            : fmt::format("{:016x}{:016x}", document.digest.high, document.digest.low));
    out += fmt::format(
        "{:>6}  {:<8}  {:<9}  {}{}\n", effect.seq, op, status, named,
        effect.found > effect.documents.size() ? fmt::format("  ({})", count_of(effect.found, "document")) : "");
  }
  return out + fmt::format("{}: {} apply, {} stale, {} not found\n", count_of(report.decisions.size(), "decision"),
                           count_text(report.of(OverrideStatus::applies)), count_text(report.of(OverrideStatus::stale)),
                           count_text(report.of(OverrideStatus::not_found)));
}

std::string fingerprint_summary(const FingerprintReport& report) {
  std::string line = reading_text(report.read, report.seconds);
  if (report.too_short > 0) line += fmt::format("; {} too short", count_text(report.too_short));
  if (!report.read.skipped.empty()) line += fmt::format("; {} skipped", count_of(report.read.skipped_files(), "file"));
  return line + "\n";
}

std::string text_summary(const PlainTextReport& report) {
  std::string line = reading_text(report.read, report.seconds);
  if (!report.read.skipped.empty()) line += fmt::format("; {} skipped", count_of(report.read.skipped_files(), "file"));
  return line + "\n";
}

std::string match_summary(const MatchReport& report) {
  std::string line =
      fmt::format("{} against {} in {} (tables built in {}): {} matched", count_of(report.queries, "query", "queries"),
                  count_of(report.stored, "stored fingerprint"), seconds_text(report.query_seconds),
                  seconds_text(report.build_seconds), count_text(report.matched));
  if (report.added > 0) line += fmt::format(", {} added", count_text(report.added));
  return line + "\n";
}

std::string changed_remark(std::uint64_t count, const std::vector<ChangedDocument>& changed) {
  if (count == 0) return {};
  std::string out = fmt::format("{} skipped:\n", count_of(count, "changed document"));
  const std::size_t shown = std::min(kShownChanged, changed.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string reason = printable(changed[i].reason, false);
    const std::string id = printable(changed[i].id, false);
    // The reason begins with the file name, which usually is the id, so it is not printed twice.
    out += reason.starts_with(id + ":") ? fmt::format("  {}\n", reason) : fmt::format("  {}: {}\n", id, reason);
  }
  if (count > shown) out += fmt::format("  and {} more\n", count_text(count - shown));
  return out;
}

std::vector<std::string> pairs_remarks(const QueryReport& report) {
  std::vector<std::string> remarks;
  if (report.unknown_documents > 0) {
    const std::string first = report.unknown.empty() ? "" : ", such as " + printable(report.unknown.front(), false);
    remarks.push_back(fmt::format("--pairs: {} skipped: the document is not in the index{}\n",
                                  count_of(report.unknown_documents, "row"), first));
  }
  if (report.unknown_queries > 0)
    remarks.push_back(
        fmt::format("--pairs: {} not found in the input\n", count_of(report.unknown_queries, "query", "queries")));
  return remarks;
}

std::string shortened_remark(const QueryReport& report, std::uint64_t limit) {
  if (report.shortened == 0) return {};
  return fmt::format("{} of {} may have more than {}; for all of them, add --limit 0\n", count_text(report.shortened),
                     count_of(report.documents, "document"), count_of(limit, "passage"));
}

std::string unverified_remark(const QueryReport& report) {
  if (report.unverified == 0) return {};
  return fmt::format("{} not compared; to compare all of them, add --max-occurrences 0\n",
                     count_of(report.unverified, "more candidate was", "more candidates were"));
}

}  // namespace refrain::cli
