// dedup: the words and figures of report.html. Their appearance is defined in report/report.html.
#include <simdjson.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/budget.h"
#include "engines/sketch/written.h"
#include "refrain/report_json.h"
#include "refrain/version.h"
#include "verbs/dedup/report/page_data.h"
#include "verbs/dedup/report/report.h"

namespace refrain::verbs::dedup {

namespace {

std::string in_percent(double share) {
  return fmt::format("{:.1f}%", 100 * share);
}

std::string source_name(const SourceLoss& loss) {
  return loss.source.empty() ? "(the input)" : loss.source;
}

// The name of a reason for readers of the report.
std::string_view reason_words(std::size_t reason) {
  static constexpr std::string_view kWords[] = {
      "kept", "exact copies", "near-duplicates", "only repeated text", "contaminated", "removed by people"};
  return kWords[reason];
}

bool looked_for(const DedupOptions& options, std::size_t reason) {
  if (reason == static_cast<std::size_t>(Reason::exact)) return options.exact;
  if (reason == static_cast<std::size_t>(Reason::near)) return options.near != NearMethod::off;
  if (reason == static_cast<std::size_t>(Reason::substring)) return options.substrings != 0;
  return reason == static_cast<std::size_t>(Reason::against) && !options.against.empty() &&
         options.against_action == AgainstAction::remove;
}

void add_glance(PageData& page, const DedupOptions& options, const DedupReport& report, const DedupFindings& found) {
  const std::uint64_t all = report.read.documents;
  const std::uint64_t removed = all - report.kept;
  page.set("documents", count_text(all))
      .set("kept", count_text(report.kept))
      .set("removed", count_text(removed))
      .set("kept_share", share_text(report.kept, all))
      .set("removed_share", share_text(removed, all))
      .set("text_bytes", size_of(report.read.text_bytes))
      .set("kept_bytes", size_of(report.kept_bytes))
      .set("removed_bytes", size_of(report.read.text_bytes - report.kept_bytes))
      .set("threshold", fmt::format("{:g}", options.threshold))
      .set("window", std::to_string(options.windows.window))
      .set("too_short", count_text(report.too_short))
      .set("clusters_count", count_text(report.clusters))
      .set("clustered", count_text(report.clustered));
  if (report.cut_documents != 0)
    page.add("has_cuts")
        .set("bytes", size_of(found.cut_bytes))
        .set("count", count_of(report.cut_documents, "kept document"));
  const OverridesReport& overrides = report.overrides;
  if (overrides.decisions != 0)
    page.add("has_overrides")
        .set("decisions", count_of(overrides.decisions, "decision"))
        .set("applied", count_text(overrides.applied))
        .set("overrides_kept", count_of(overrides.kept, "document"))
        .set("overrides_removed", count_text(overrides.removed))
        .set("stale", count_text(overrides.stale))
        .set("not_found", count_text(overrides.not_found));
  if (report.too_short != 0) page.add("has_too_short");
  if (!report.read.skipped.empty())
    page.add("has_skipped").set("skipped", count_of(report.read.skipped_files(), "file"));
  if (!report.read.unreadable.empty())
    page.add("has_unreadable").set("unreadable", count_of(report.read.unreadable.size(), "file"));
  if (report.read.bad_records != 0) page.add("has_bad").set("bad", count_of(report.read.bad_records, "record"));

  // One bar for all documents: first those kept, then those removed for each reason.
  double x = 0;
  const auto part = [&](std::size_t reason, std::uint64_t count) {
    const double width = all == 0 ? 0 : 1000 * static_cast<double>(count) / static_cast<double>(all);
    if (count != 0)
      page.add("parts")
          .set("kind", std::to_string(reason))
          .set("x", fmt::format("{:.1f}", x))
          .set("width", fmt::format("{:.1f}", std::max(width, 1.0)))
          .set("tip", fmt::format("{}: {}", reason_words(reason), count_text(count)));
    x += width;
  };
  const std::uint64_t counts[kReasons] = {report.kept,
                                          report.removed_exact,
                                          report.removed_near,
                                          report.removed_substring,
                                          report.removed_against,
                                          report.overrides.removed};
  part(0, counts[0]);
  for (std::size_t reason = 1; reason < kReasons; ++reason) {
    part(reason, counts[reason]);
    if (counts[reason] == 0 && !looked_for(options, reason)) continue;
    page.add("reasons")
        .set("kind", std::to_string(reason))
        .set("name", std::string(reason_words(reason)))
        .set("code", std::string(reason_name(static_cast<Reason>(reason))))
        .set("count", count_text(counts[reason]))
        .set("share", share_text(counts[reason], all))
        .set("bytes", size_of(found.removed_bytes[reason]));
  }
}

void add_check(PageData& page, const SelfCheck& check) {
  if (check.sampled != 0)
    page.add("recall")
        .set("value", in_percent(check.recall))
        .set("low", in_percent(check.recall_low))
        .set("high", in_percent(check.recall_high))
        .set("sampled", count_of(check.sampled, "kept document"))
        .set("missed", count_text(check.missed));
  if (check.removals != 0)
    page.add("recheck")
        .set("value", count_text(check.below))
        .set("removals", count_text(check.removals))
        .set("high", in_percent(check.below_high));
  if (check.sampled == 0 && check.removals == 0) page.add("unchecked");
}

void add_alarms(PageData& page, const DedupOptions& options, const DedupReport& report) {
  constexpr std::size_t kShown = 20;
  if (report.alarms.empty()) return;
  PageData& box = page.add("alarm");
  box.set("alarm_share", fmt::format("{:g}%", 100 * options.alarm))
      .set("alarm_count", count_of(report.alarms.size(), "source"));
  for (std::size_t i = 0; i < std::min(kShown, report.alarms.size()); ++i) {
    const SourceLoss& loss = report.alarms[i];
    box.add("losses")
        .set("source", evidence::shortened(source_name(loss), 200))
        .set("removed", count_text(loss.removed))
        .set("of", count_text(loss.documents))
        .set("share", share_text(loss.removed, loss.documents));
  }
  if (report.alarms.size() > kShown) box.add("more").set("count", count_text(report.alarms.size() - kShown));
}

Chart cluster_chart(const DedupFindings& found) {
  Chart chart{.name = "cluster-sizes",
              .title = "Cluster sizes",
              .note = "Documents connected by matches form a cluster. Both scales are logarithmic.",
              .first = "documents per cluster",
              .series = {"clusters"}};
  for (std::size_t i = found.cluster_sizes.first(); i < found.cluster_sizes.size(); ++i)
    chart.bars.push_back({DoublingHistogram::label(i), {found.cluster_sizes.count(i)}});
  return chart;
}

Chart similarity_chart(const DedupOptions& options, const DedupReport& report, const DedupFindings& found) {
  const std::uint64_t near = std::accumulate(found.similarities.begin(), found.similarities.end(), std::uint64_t{0});
  Chart chart{.name = "similarities",
              .title = "Similarity of matches",
              .note = fmt::format("{} of documents with similarity {:g} or more, by comparing the texts; {} of exact "
                                  "copies are not included. The scale of pairs is logarithmic. If many pairs are just "
                                  "above the threshold, its exact value matters: look at some of them.",
                                  count_of(near, "pair"), options.threshold, count_of(report.matches - near, "pair")),
              .first = "similarity",
              .series = {"pairs"}};
  for (std::size_t i = 0; near != 0 && i < found.similarities.size(); ++i)
    chart.bars.push_back(
        {fmt::format("{:.2f}", static_cast<double>(found.first_bin + i) * found.bin), {found.similarities[i]}});
  return chart;
}

Chart loss_chart(const DedupFindings& found) {
  Chart chart{.name = "losses-by-length",
              .title = "Text lost with near-duplicates",
              .note =
                  "For each document removed as a near-duplicate, the longest run of tokens that its match does "
                  "not hold. Both scales are logarithmic.",
              .first = "tokens in a row",
              .series = {"documents"}};
  if (found.lossless != 0) chart.bars.push_back({"0", {found.lossless}});
  for (std::size_t i = found.own_runs.first(); i < found.own_runs.size(); ++i)
    chart.bars.push_back({DoublingHistogram::label(i), {found.own_runs.count(i)}});
  return chart;
}

Chart source_chart(const DedupFindings& found) {
  std::string note = fmt::format("{} in total; the largest losses come first.", count_of(found.sources, "source"));
  if (const SourceLoss& other = found.other_sources; other.documents != 0)
    note += fmt::format(" {} more keep {} and lose {}.", count_text(found.sources - found.losses.size()),
                        count_of(other.documents - other.removed, "document"), count_text(other.removed));
  Chart chart{.name = "sources",
              .title = "Losses by source",
              .note = std::move(note),
              .first = "source",
              .series = {"kept", "removed"},
              .horizontal = true};
  for (const SourceLoss& loss : found.losses)
    chart.bars.push_back({source_name(loss), {loss.documents - loss.removed, loss.removed}});
  return chart;
}

Chart length_chart(const DedupFindings& found) {
  Chart chart{.name = "lengths",
              .title = "Document lengths",
              .note =
                  "In bytes of text; both scales are logarithmic. If only short documents are removed, boilerplate may "
                  "be the reason.",
              .first = "bytes",
              .series = {"kept", "removed"}};
  const std::size_t end = std::max(found.kept_lengths.size(), found.removed_lengths.size());
  const std::size_t begin = std::min(found.kept_lengths.size() == 0 ? end : found.kept_lengths.first(),
                                     found.removed_lengths.size() == 0 ? end : found.removed_lengths.first());
  for (std::size_t i = begin; i < end; ++i)
    chart.bars.push_back({DoublingHistogram::label(i), {found.kept_lengths.count(i), found.removed_lengths.count(i)}});
  return chart;
}

void add_pieces(PageData& to, const std::vector<evidence::ShownPiece>& pieces) {
  using Kind = evidence::ShownPiece::Kind;
  static constexpr std::string_view kNames[] = {"both", "only", "plain", "left_out"};  // in the order of Kind
  for (const evidence::ShownPiece& piece : pieces)
    to.add("pieces")
        .add(kNames[static_cast<std::size_t>(piece.kind)])
        .set("text", piece.kind == Kind::left_out ? count_of(piece.bytes, "byte") : piece.text);
}

std::string similarity_text(double similarity) {
  return similarity >= 1 ? "1" : fmt::format("{:.3f}", similarity);
}

void add_pair(PageData& to, const ShownPair& pair) {
  PageData& both = to.add("pairs");
  both.set("similarity", similarity_text(pair.similarity));
  const auto value = [](const std::string& text) {
    return text.empty() ? "none" : evidence::shortened(text, kIdBytes);
  };
  for (const DifferingHeader& header : pair.headers)
    both.add("headers").set("name", header.name).set("kept", value(header.a)).set("removed", value(header.b));
  if (std::max(pair.kept_bytes, pair.removed_bytes) > kComparedBytes)
    both.add("beginnings").set("bytes", size_of(kComparedBytes));
  PageData& kept = both.add("kept_side");
  add_pieces(kept.set("id", pair.kept_id).set("bytes", count_of(pair.kept_bytes, "byte")), pair.kept);
  PageData& gone = both.add("removed_side");
  add_pieces(gone.set("id", pair.removed_id).set("bytes", count_of(pair.removed_bytes, "byte")), pair.removed);
}

void add_ids(PageData& to, std::string_view list, const std::vector<std::string>& ids, std::uint64_t all) {
  if (ids.empty()) return;
  PageData& row = to.add(list);
  for (const std::string& id : ids) row.add("ids").set("id", id);
  if (all > ids.size()) row.add("more").set("count", count_text(all - ids.size()));
}

void add_cluster(PageData& page, const ShownCluster& cluster, std::size_t place) {
  PageData& item = page.add("clusters");
  const std::uint64_t removed = cluster.size - cluster.kept;
  item.set("place", std::to_string(place))
      .set("number", std::to_string(cluster.number))
      .set("size", count_of(cluster.size, "document"))
      .set("kept", count_text(cluster.kept))
      .set("removed", count_text(removed))
      .set("bytes", size_of(cluster.removed_bytes))
      .set("first", cluster.kept_ids.empty() ? std::string() : cluster.kept_ids.front());
  for (std::size_t reason = 1; reason < kReasons; ++reason)
    if (cluster.removed[reason] != 0)
      item.add("why").set("name", std::string(reason_words(reason))).set("count", count_text(cluster.removed[reason]));
  add_ids(item, "kept_ids", cluster.kept_ids, cluster.kept);
  add_ids(item, "exact_ids", cluster.exact_ids, cluster.removed[static_cast<std::size_t>(Reason::exact)]);
  for (const ShownPair& pair : cluster.pairs) add_pair(item, pair);
}

void add_templates(PageData& page, const TemplateReport& report) {
  if (report.sources == 0) return;
  page.add("templates")
      .set("sources", count_of(report.sources, "source"))
      .set("documents", count_of(report.documents, "document"))
      .set("share", in_percent(report.share));
}

void add_details(PageData& page, const LossReport& loss, const DedupFindings& found) {
  if (found.details.empty()) return;
  PageData& box = page.add("details");
  box.set("count", count_of(loss.in_details, "document"))
      .set("numbers", count_text(loss.in_numbers))
      .set("negations", count_text(loss.in_negations))
      .set("symbols", count_text(loss.in_symbols));
  for (std::size_t i = 0; i < found.details.size(); ++i) {
    const ShownPair& pair = found.details[i];
    PageData& item = box.add("list");
    item.set("place", std::to_string(i + 1))
        .set("what", sketch::detail_names(pair.loss.details))
        .set("similarity", similarity_text(pair.similarity))
        .set("removed", pair.removed_id);
    add_pair(item, pair);
  }
}

void add_losses(PageData& page, const DedupOptions& options, const DedupReport& report, const DedupFindings& found) {
  if (options.near != NearMethod::off && options.max_loss != kAnyLoss)
    page.add("max_loss")
        .set("most", options.max_loss == kAutoLoss
                         ? "little"
                         : fmt::format("at most {} in a row", count_of(options.max_loss, "token")));
  if (report.own_text != 0) {
    PageData& own = page.add("own_text");
    own.set("count", count_of(report.own_text, "document"))
        .set("what", options.max_loss == kAnyLoss    ? std::string("an attachment")
                     : options.max_loss == kAutoLoss ? std::string("too much text, symbols or an attachment")
                                                     : fmt::format("more than {} in a row, symbols or an attachment",
                                                                   count_of(options.max_loss, "token")));
    if (const OwnTextReport& by = report.own_text_by; by.loss != 0)
      own.add("by_loss")
          .set("documents", count_of(by.loss, "document"))
          .set("median", count_text(by.loss_median))
          .set("longest", count_text(by.loss_longest));
  }
  const LossReport& loss = report.loss;
  if (loss.documents == 0) return;
  page.add("loss")
      .set("count", count_of(loss.documents, "document"))
      .set("tokens", count_of(loss.tokens, "token"))
      .set("longest", count_text(loss.longest))
      .set("median", count_text(loss.median))
      .set("high", count_text(loss.high));
  PageData& box = page.add("losses");
  for (std::size_t i = 0; i < found.worst.size(); ++i) {
    const ShownPair& pair = found.worst[i];
    PageData& item = box.add("list");
    item.set("place", std::to_string(i + 1))
        .set("longest", count_of(pair.loss.longest, "token"))
        .set("tokens", count_text(pair.loss.tokens))
        .set("similarity", similarity_text(pair.similarity))
        .set("removed", pair.removed_id);
    add_pair(item, pair);
  }
}

void add_items(PageData& page, const DedupOptions& options, const DedupReport& report, const DedupFindings& found) {
  if (options.against.empty()) return;
  PageData& box = page.add("against");
  box.set("items", count_of(report.against.items, "item"))
      .set("found", count_text(report.against.found))
      .set("in", count_of(report.against.documents, "document"));
  if (found.items.empty()) return;
  PageData& table = box.add("table");
  for (const ShownItem& item : found.items) {
    PageData& row = table.add("rows");
    row.set("id", item.id)
        .set("count", count_text(item.documents))
        .set("first", item.first_id)
        .set("share", in_percent(item.share));
    add_pieces(row, item.text);
  }
  if (report.against.found > found.items.size())
    table.add("more").set("count", count_text(report.against.found - found.items.size()));
}

void add_passages(PageData& page, const DedupOptions& options, const DedupFindings& found) {
  if (options.substrings == 0) return;
  PageData& box = page.add("passages");
  box.set("least", count_text(options.substrings)).set("core", count_text(passage_core_bytes(options)));
  std::size_t place = 0;
  for (const ShownPassage& passage : found.passages) {
    PageData& item = box.add("list");
    item.set("place", std::to_string(++place))
        .set("bytes", size_of(passage.bytes))
        .set("count", count_of(passage.cuts, "time"))
        .set("id", passage.id)
        .set("length", count_of(passage.length, "byte"))
        .set("beginning", passage.text.empty() ? std::string() : evidence::shortened(passage.text.front().text, 80));
    add_pieces(item, passage.text);
  }
}

void add_skipped(PageData& page, const DedupOptions& options, const ReadReport& read) {
  if (read.skipped.empty()) return;
  PageData& to = page.add("skipped").set("count", count_of(read.skipped_files(), "file"));
  if (options.apply) to.add("applied");
  for (const SkippedKind& kind : read.skipped) {
    PageData& row = to.add("kinds").set("name", kind.kind).set("count", count_text(kind.files));
    for (const BadRecord& file : kind.examples)
      row.add("examples").set("path", evidence::shortened(file.path, kIdBytes)).set("reason", file.reason);
    if (kind.files > kind.examples.size()) row.add("more").set("count", count_text(kind.files - kind.examples.size()));
  }
}

void add_cost(PageData& page, const DedupReport& report) {
  double seconds = 0;
  std::uint64_t most = 0;
  for (const StageCost& stage : report.stages) {
    seconds += stage.seconds;
    most = std::max(most, stage.memory_bytes);
  }
  for (const StageCost& stage : report.stages)
    page.add("stages")
        .set("name", stage.stage)
        .set("seconds", fmt::format("{:.2f} s", stage.seconds))
        .set("share", fmt::format("{:.1f}", seconds == 0 ? 0 : 100 * stage.seconds / seconds))
        .set("memory", size_of(stage.memory_bytes));
  page.set("all_seconds", fmt::format("{:.2f} s", seconds))
      .set("peak_memory", size_of(report.peak_rss_bytes))
      .set("memory_limit", size_of(report.memory_bytes))
      .set("temp_disk", size_of(report.temp_peak_bytes))
      .set("threads", count_of(report.threads, "thread"));
}

// Takes the options from summary.json, so that there is only one list of them.
void add_options(PageData& page, const DedupOptions& options, const DedupReport& report) {
  simdjson::dom::parser parser;
  const std::string json = to_json(options, report);
  const simdjson::dom::object all = parser.parse(json)["options"];
  for (const auto [name, value] : all) {
    std::string text = value.is_string() ? std::string(std::string_view(value)) : simdjson::minify(value);
    if (value.is_array()) {
      text.clear();
      for (const simdjson::dom::element item : simdjson::dom::array(value)) {
        if (!text.empty()) text += "\n";
        text += item.is_string() ? std::string(std::string_view(item)) : simdjson::minify(item);
      }
    }
    page.add("options")
        .set("name", std::string(name))
        .set("value", text.empty() ? "none" : evidence::shortened(text, 2000));
  }
}

}  // namespace

std::string dedup_page(const DedupOptions& options, const DedupReport& report, const DedupFindings& findings) {
  PageData page;
  std::string inputs;
  for (const std::string& path : options.input.paths) inputs += (inputs.empty() ? "" : ", ") + path;
  page.set("inputs", evidence::shortened(inputs, 300)).set("version", std::string(kVersion));
  add_glance(page, options, report, findings);
  add_check(page, report.check);
  if (report.read.mails != 0 && options.input.compare == ComparedMail::body)
    page.add("mail").set("count", count_of(report.read.mails, "message"));
  add_templates(page, report.templates);
  add_details(page, report.loss, findings);
  add_losses(page, options, report, findings);
  add_alarms(page, options, report);
  for (const Chart& chart : {cluster_chart(findings), similarity_chart(options, report, findings), loss_chart(findings),
                             source_chart(findings), length_chart(findings)})
    add_chart(page, chart);
  for (std::size_t i = 0; i < findings.clusters.size(); ++i) add_cluster(page, findings.clusters[i], i + 1);
  if (report.clusters > findings.clusters.size())
    page.add("more_clusters")
        .set("shown", count_text(findings.clusters.size()))
        .set("count", count_text(report.clusters - findings.clusters.size()));
  add_items(page, options, report, findings);
  add_passages(page, options, findings);
  add_skipped(page, options, report.read);
  add_cost(page, report);
  add_options(page, options, report);
  return fill_page(kDedupReportHtml, page);
}

}  // namespace refrain::verbs::dedup
