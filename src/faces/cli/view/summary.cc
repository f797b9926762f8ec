#include "faces/cli/view/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "faces/cli/table/numbers.h"
#include "faces/cli/view/figures.h"
#include "faces/cli/view/reading.h"
#include "faces/cli/view/text.h"

namespace refrain::cli {

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
  if (!read.skipped.empty()) table.add("skipped", count_of(read.skipped_files(), "file"), skipped_lines(read));
  if (read.other_skipped > 0)
    table.add("not pages", count_of(read.other_skipped, "record"), {"of web archives; skipped"});
  if (read.recoded + read.replaced > 0) table.add("recoded", count_text(read.recoded), recoded_lines(read));
  if (read.bad_records == 0) return;
  std::vector<std::string> remarks = example_lines(read);
  if (!kept.empty()) remarks.push_back(kept);
  table.add("bad records", count_text(read.bad_records), std::move(remarks));
}

// Adds how much a GPU did, and what limited its speed.
void add_device(Table& table, const DeviceReport& device) {
  if (device.name.empty() || device.name == "cpu") return;
  std::vector<std::string> remarks = {printable(device.name, false)};
  if (!device.bound_by.empty())
    remarks.back() += fmt::format("; {} left to the CPU; bound by {}", count_text(device.left_to_cpu), device.bound_by);
  if (device.joined != 0) remarks.push_back(count_text(device.joined) + " fingerprints compared");
  table.add("on the GPU", count_text(device.documents), std::move(remarks));
}

void add_memory(Table& table, std::uint64_t peak, std::uint64_t ceiling) {
  if (peak > 0) table.add("peak memory", size_of(peak), {fmt::format("limit {}", size_of(ceiling))});
}

std::string written_files(const std::filesystem::path& folder, const std::vector<std::string_view>& names) {
  std::string out;
  std::string_view lead = "\nWritten: ";
  for (const std::string_view name : names) {
    out += fmt::format("{}{}\n", lead, printable((folder / name).string(), false));
    lead = "         ";
  }
  return out;
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

}  // namespace

std::string dedup_summary(const DedupReport& report, const DedupOptions& options, double seconds, const Look& look) {
  std::string out = headline(report.read, seconds, report.threads, look);
  Table table;
  const std::uint64_t all = report.read.documents;
  table.add("kept", count_text(report.kept), {fmt::format("{} of all", share_text(report.kept, all))});
  if (!options.against.paths.empty()) {
    const AgainstReport& against = report.against;
    const bool removed = options.against_action == AgainstAction::remove;
    table.add(removed ? "contaminated" : "marked", count_text(against.documents),
              {fmt::format("{}; contain a test item", share_text(against.documents, all))});
    std::vector<std::string> remarks = {fmt::format("of {} in the --against set", count_of(against.items, "item"))};
    if (against.too_short > 0) remarks.push_back(too_short_items(against, options));
    if (against.common > 0)
      remarks.push_back(
          fmt::format("{} with common windows; edited copies may be missed", count_of(against.common, "item")));
    if (against.read.bad_records > 0)
      remarks.push_back(fmt::format("{} could not be read", count_of(against.read.bad_records, "record")));
    if (!against.read.skipped.empty()) remarks.push_back(fmt::format("skipped: {}", skipped_text(against.read)));
    table.add("items found", count_text(against.found), std::move(remarks));
  }
  if (!options.known.empty() || !options.library.empty()) {
    const KnownReport& known = report.known;
    std::vector<std::string> remarks = {
        fmt::format("{}; {} and {} of {} known already", share_text(known.exact + known.near, all),
                    count_of(known.exact, "copy", "copies"), count_of(known.near, "near-duplicate"),
                    count_of(known.documents, "document"))};
    remarks.push_back(fmt::format("{} of old text read", size_of(known.bytes_read)));
    if (known.unverified > 0)
      remarks.push_back(
          fmt::format("{} {}: the old text is gone or has changed", count_of(known.unverified, "document"),
                      options.trust_signatures ? "removed by signature alone" : "kept, though a signature matches"));
    table.add("known", count_text(known.exact + known.near), std::move(remarks));
  }
  if (options.exact)
    table.add("exact copies", count_text(report.removed_exact), {share_text(report.removed_exact, all)});
  if (options.near != NearMethod::off) {
    table.add("near-duplicates", count_text(report.removed_near),
              {fmt::format("{}; similarity {:.3g} or more to a kept document", share_text(report.removed_near, all),
                           options.threshold)});
    if (const LossReport& loss = report.loss; loss.documents > 0)
      table.add("lost with them", count_of(loss.tokens, "token"),
                {fmt::format("from {}; at most {} in a row", count_of(loss.documents, "document"),
                             count_text(loss.longest))});
    if (report.own_text > 0)
      table.add("kept for own text", count_text(report.own_text),
                {options.max_loss == kAnyLoss
                     ? std::string("similar, but with attachments of their own")
                     : fmt::format("similar, but with more than {} in a row, symbols or attachments of their own",
                                   count_of(options.max_loss, "token"))});
    if (const TemplateReport& left_out = report.templates; left_out.sources > 0)
      table.add("templates left out", count_of(left_out.windows, "window"),
                {fmt::format("shared within {}; {:.1f}% of their text", count_of(left_out.sources, "source"),
                             100 * left_out.share)});
    if (report.too_short > 0)
      table.add(
          "too short to judge", count_text(report.too_short),
          {fmt::format("fewer than {}; only exact copies are removed", count_of(options.windows.window, "token"))});
    const SelfCheck& check = report.check;
    if (check.sampled > 0) {
      std::vector<std::string> remarks = {
          fmt::format("of {} checked by brute force", count_of(check.sampled, "kept document"))};
      if (report.removed_near > 0)
        remarks.push_back(fmt::format("recall {:.1f}% (95% CI {:.1f} to {:.1f})", 100 * check.recall,
                                      100 * check.recall_low, 100 * check.recall_high));
      table.add("missed", count_text(check.missed), std::move(remarks));
    }
    if (check.removals > 0)
      table.add("below threshold on recheck", count_text(check.below),
                {fmt::format("of {} rechecked; at most {:.1f}% (95% CI)", count_text(check.removals),
                             100 * check.below_high)});
  }
  if (options.substrings != 0) {
    table.add(
        "cut out", size_of(report.cut_bytes),
        {fmt::format("from {}; repeated ranges except their first copy", count_of(report.cut_documents, "document"))});
    if (report.removed_substring > 0)
      table.add("nothing left", count_text(report.removed_substring), {"all of their text was cut"});
  }
  if (report.clusters > 0) {
    table.add("clusters", count_text(report.clusters), {fmt::format("of {}", count_of(report.clustered, "document"))});
    table.add("largest cluster", count_text(report.largest_cluster),
              {fmt::format("first: {}", printable(report.largest_representative, false))});
  }
  add_losses(table, report.read, options.apply ? "copied unchanged to clean/" : "");
  if (options.read_back) table.add("read back", count_text(report.read_back), {"from clean/; all match the decisions"});
  add_device(table, report.device);
  if (report.temp_peak_bytes > 0) table.add("temporary disk", size_of(report.temp_peak_bytes));
  add_memory(table, report.peak_rss_bytes, report.memory_bytes);
  std::vector<std::string_view> names = {"decisions.jsonl", "matches.tsv", "clusters.tsv"};
  if (!options.against.paths.empty()) names.push_back("against.jsonl");
  if (options.substrings != 0) names.push_back("substring_bytes.tsv");
  if (options.apply) names.push_back("clean");
  if (options.annotate) names.push_back("annotated");
  if (options.attributes != Attributes::none) names.push_back("attributes");
  if (!options.library.empty())
    table.add("library", count_of(report.known.added, "document"),
              {fmt::format("added to {}", options.library.string())});
  if (!report.read.skipped.empty()) names.push_back("skipped.tsv");
  names.push_back("summary.json");
  names.push_back("report.html");
  return out + table.text() + written_files(options.output, names);
}

std::string near_summary(const NearReport& report, const NearOptions& options, double seconds, const Look& look) {
  std::string out = headline(report.read, seconds, report.threads, look);

  Table table;
  const std::string near =
      options.distance == 0 ? "equal fingerprints" : fmt::format("at most {} of 64 bits differ", options.distance);
  if (options.verify) table.add("candidate pairs", count_text(report.candidates), {near});
  table.add("near-duplicate pairs", count_text(report.matches),
            {options.verify ? fmt::format("similarity {:.3g} or more", options.threshold) : near});
  if (report.clusters > 0) {
    table.add("clusters", count_text(report.clusters));
    table.add("documents in them", count_text(report.clustered),
              {fmt::format("{} of all", share_text(report.clustered, report.read.documents))});
    table.add("largest cluster", count_text(report.largest_cluster),
              {fmt::format("first: {}", printable(report.largest_representative, false))});
  }
  if (report.too_short > 0) {
    table.add("too short", count_text(report.too_short),
              {fmt::format("fewer than {}; never matched", count_of(options.fingerprint.window, "token"))});
  }
  add_losses(table, report.read);
  add_device(table, report.device);
  if (report.temp_peak_bytes > 0) table.add("temporary disk", size_of(report.temp_peak_bytes));
  add_memory(table, report.peak_rss_bytes, report.memory_bytes);
  std::vector<std::string_view> names = {"matches.tsv", "clusters.tsv"};
  if (!report.read.skipped.empty()) names.push_back("skipped.tsv");
  names.push_back("summary.json");
  return out + table.text() + written_files(options.output, names);
}

std::string substrings_summary(const SubstringsReport& report, const SubstringsOptions& options, double seconds,
                               const Look& look) {
  std::string out = headline(report.read, seconds, report.threads, look);
  Table table;
  table.add(
      "repeated ranges", count_text(report.ranges),
      {fmt::format("at least {} bytes, at least {} times", count_text(options.length), count_text(options.min_count))});
  table.add("bytes in them", size_of(report.repeated_bytes),
            {fmt::format("{} of the text", share_text(report.repeated_bytes, report.read.text_bytes))});
  table.add("in documents", count_text(report.repeated_documents),
            {fmt::format("{} of all", share_text(report.repeated_documents, report.read.documents))});
  const std::string_view left = options.keep == Keep::first ? "keeping the first copy" : "keeping no copy";
  if (options.apply)
    table.add("removed", size_of(report.removed_bytes),
              {fmt::format("from {}, {}", count_of(report.changed_documents, "document"), left)});
  else
    table.add("could be removed", size_of(report.removable_bytes), {std::string(left)});
  for (std::size_t pass = 0; pass < report.pass_bytes.size(); ++pass) {
    const bool last = pass + 1 == report.pass_bytes.size();
    const bool clean = report.pass_bytes[pass] == 0;
    table.add(
        fmt::format("  pass {}", pass + 1), size_of(report.pass_bytes[pass]),
        last ? std::vector<std::string>{clean ? "nothing is left to cut" : "the last one; run again on the clean copy"}
             : std::vector<std::string>{});
  }
  if (options.groups)
    table.add("passages", count_text(report.passages), {fmt::format("in {}", count_of(report.places, "place"))});
  add_losses(table, report.read);
  if (report.temp_peak_bytes > 0) table.add("temporary disk", size_of(report.temp_peak_bytes));
  add_memory(table, report.peak_rss_bytes, report.memory_bytes);
  std::vector<std::string_view> names = {"substring_bytes.tsv"};
  if (!options.text_csv.empty()) names.push_back("sa.txt");
  if (options.groups) names.push_back("passages.jsonl");
  if (options.apply) names.push_back("clean");
  if (!report.read.skipped.empty()) names.push_back("skipped.tsv");
  names.push_back("summary.json");
  out += table.text() + written_files(options.output, names);
  if (options.apply && !options.until_clean && report.removed_bytes > 0)
    out +=
        "\nA second pass may find more, because cutting brings text together that was\n"
        "apart: --until-clean repeats until nothing is left to cut.\n";
  return out;
}

std::string ngrams_summary(const NgramsReport& report, const NgramsOptions& options, double seconds, const Look& look) {
  std::string out = headline(report.read, seconds, report.threads, look);
  const std::string grams = grams_text(options.n);
  Table table;
  std::vector<std::string> rate;
  if (seconds > 0 && report.grams >= 1000000)
    rate.push_back(fmt::format("{:.1f} million per second", static_cast<double>(report.grams) / seconds / 1e6));
  table.add(grams, count_text(report.grams), rate);
  table.add("in the index", count_text(report.entries), {fmt::format("each in at least {} places", options.m)});
  table.add("their places", count_text(report.places),
            {fmt::format("{} of all {}", share_text(report.places, report.grams), grams)});
  add_losses(table, report.read);
  if (report.temp_peak_bytes > 0) {
    table.add("temporary disk", size_of(report.temp_peak_bytes));
  }
  add_memory(table, report.peak_rss_bytes, report.memory_bytes);
  std::vector<std::string_view> names = {"grams.bin", "places.bin", "documents.bin"};
  if (!report.read.skipped.empty()) names.push_back("skipped.tsv");
  names.push_back("summary.json");
  return out + table.text() + written_files(options.output, names);
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
  table.add("tokens", count_text(stats.tokens),
            {fmt::format("tokenizer: {}", tokenizer_names()[static_cast<std::size_t>(stats.tokenizer)])});
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
    table.add(name, size_of(bytes),
              stats.multi == 0
                  ? std::vector<std::string>{}
                  : std::vector{fmt::format("{:.1f} bytes per n-gram",
                                            static_cast<double>(bytes) / static_cast<double>(stats.multi))});
  };
  file("grams.bin", stats.grams_bytes);
  file("places.bin", stats.places_bytes);
  file("documents.bin", stats.documents_bytes);
  std::string out = table.text();

  out += fmt::format("\nBuilt with algorithm {} in {} on {}.\n\n", printable(stats.algorithm, false),
                     seconds_text(stats.seconds), count_of(stats.threads, "thread"));
  Table built;
  built.add("passes", count_text(stats.passes));
  for (std::size_t i = 0; i < 3; ++i) {
    if (stats.file_bytes[i] > 0) built.add(fmt::format("file F{}", i + 1), size_of(stats.file_bytes[i]));
  }
  if (stats.sequence_bytes > 0) built.add("sequence", size_of(stats.sequence_bytes));
  built.add("temporary disk", size_of(stats.temp_peak_bytes), {"peak"});
  add_memory(built, stats.peak_rss_bytes, stats.memory_bytes);
  for (const StageCost& stage : stats.stages)
    built.add(printable(stage.stage, false), seconds_text(stage.seconds),
              stage.bytes > 0 ? std::vector{size_of(stage.bytes)} : std::vector<std::string>{});
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
  std::string out = headline(report.read, seconds, report.threads, look);
  Table table;
  std::vector<std::string> replaced;
  if (report.replaced > 0) replaced.push_back(fmt::format("{} replaced older ones", count_text(report.replaced)));
  table.add("documents added", count_text(report.added), replaced);
  table.add("tokens", count_text(report.tokens));
  table.add("posts", count_text(report.posts), {"blot occurrences"});
  if (report.stored_texts > 0)
    table.add("texts stored", count_text(report.stored_texts), {"cannot be read again in place"});
  add_losses(table, report.read);
  table.add("index size", size_of(report.index_bytes), {fmt::format("in {}", count_of(report.segments, "segment"))});
  if (report.temp_peak_bytes > 0) table.add("temporary disk", size_of(report.temp_peak_bytes));
  add_memory(table, report.peak_rss_bytes, report.memory_bytes);
  return out + table.text() + fmt::format("\nWritten: {}\n", printable(index, false));
}

std::string index_remove_summary(const std::string& index, const IndexWriteReport& report) {
  return fmt::format("{}: {} removed\n", printable(index, false), count_of(report.removed, "document"));
}

std::string index_merge_summary(const std::string& index, const IndexWriteReport& report) {
  const std::string what = report.merged_segments == 0
                               ? std::string("nothing to merge")
                               : fmt::format("{} merged", count_of(report.merged_segments, "segment"));
  return fmt::format("{}: {}; {} in {}\n", printable(index, false), what, size_of(report.index_bytes),
                     count_of(report.segments, "segment"));
}

std::string index_stats_text(const IndexStats& stats) {
  const IndexLayout& layout = stats.layout;
  const std::uint64_t bytes = stats.posts_bytes + stats.documents_bytes + stats.texts_bytes + stats.other_bytes;
  Table table;
  std::vector<std::string> removed;
  if (stats.removed > 0)
    removed.push_back(fmt::format("{} more removed but not yet merged away", count_text(stats.removed)));
  table.add("documents", count_text(stats.documents), removed);
  table.add("text", size_of(stats.text_bytes));
  table.add("tokens", count_text(stats.tokens),
            {fmt::format("tokenizer: {}", tokenizer_names()[static_cast<std::size_t>(layout.tokenizer)])});
  table.add("window", count_text(layout.window),
            {layout.interleave > 1 ? fmt::format("tokens, {} apart", layout.interleave) : std::string("tokens")});
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
