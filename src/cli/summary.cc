#include "cli/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/numbers.h"
#include "cli/text_view.h"

namespace refrain::cli {

namespace {

constexpr std::size_t kShownExamples = 3;

std::string example_text(const BadRecord& record) {
  const std::string path = printable(record.path, false);
  const std::string reason = printable(record.reason, false);
  return record.line == 0 ? fmt::format("{}: {}", path, reason) : fmt::format("{}:{}: {}", path, record.line, reason);
}

// The examples that there is room for, and how many more bad records there are.
std::vector<std::string> example_lines(const ReadReport& report) {
  std::vector<std::string> lines;
  const std::size_t shown = std::min(kShownExamples, report.examples.size());
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(example_text(report.examples[i]));
  if (report.bad_records > shown && shown > 0) {
    lines.push_back(fmt::format("and {} more", count_text(report.bad_records - shown)));
  }
  return lines;
}

std::string skipped_text(const ReadReport& report) {
  std::vector<std::string> parts;
  if (report.hidden_skipped > 0) parts.push_back(fmt::format("{} hidden", count_text(report.hidden_skipped)));
  if (report.binary_skipped > 0) parts.push_back(fmt::format("{} binary", count_text(report.binary_skipped)));
  if (report.special_skipped > 0) {
    parts.push_back(count_of(report.special_skipped, "link or special file", "links or special files"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::uint64_t skipped_count(const ReadReport& report) {
  return report.hidden_skipped + report.binary_skipped + report.special_skipped;
}

// "1,234 documents (12.3 MiB of text, from 3.1 MiB in 2 files) in 0.4 s, 30.8 MiB/s"
std::string reading_text(const ReadReport& read, double seconds) {
  std::string text = fmt::format("{} (", count_of(read.documents, "document"));
  const std::string text_bytes = bytes_text(static_cast<double>(read.text_bytes));
  const std::string disk_bytes = bytes_text(static_cast<double>(read.bytes));
  if (read.text_bytes == read.bytes) {
    text += text_bytes;
  } else {
    text += fmt::format("{} of text, from {}", text_bytes, disk_bytes);
  }
  if (read.files > 1 && read.files != read.documents) text += fmt::format(" in {}", count_of(read.files, "file"));
  text += fmt::format(") in {}", seconds_text(seconds));
  if (seconds > 0 && read.bytes > 0) {
    text += fmt::format(", {}/s", bytes_text(static_cast<double>(read.bytes) / seconds));
  }
  return text;
}

// Rows of a label, a figure and a remark; further lines of the remark stand below it.
class Table {
 public:
  void add(std::string_view label, std::string figure, std::vector<std::string> remarks = {}) {
    label_width_ = std::max(label_width_, label.size());
    figure_width_ = std::max(figure_width_, figure.size());
    rows_.push_back({std::string(label), std::move(figure), std::move(remarks)});
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

}  // namespace

std::string near_summary(const NearReport& report, const NearOptions& options, double seconds, const Look& look) {
  std::string headline = fmt::format("Read {}", reading_text(report.read, seconds));
  if (report.threads > 0) headline += fmt::format(" on {}", count_of(report.threads, "thread"));
  std::string out = look.colour ? fmt::format("\x1b[1m{}.\x1b[0m\n\n", headline) : fmt::format("{}.\n\n", headline);

  Table table;
  table.add(
      "near-duplicate pairs", count_text(report.matches),
      {options.distance == 0 ? "equal fingerprints" : fmt::format("at most {} of 64 bits differ", options.distance)});
  if (report.clusters > 0) {
    table.add("clusters", count_text(report.clusters));
    table.add("documents in them", count_text(report.clustered),
              {fmt::format("{} of all", share_text(report.clustered, report.read.documents))});
    table.add("largest cluster", count_text(report.largest_cluster),
              {fmt::format("first is {}", printable(report.largest_representative, false))});
  }
  if (report.too_short > 0) {
    table.add("too short", count_text(report.too_short),
              {fmt::format("fewer than {}: never matched", count_of(options.fingerprint.window, "token"))});
  }
  if (skipped_count(report.read) > 0) {
    table.add("skipped", count_text(skipped_count(report.read)), {skipped_text(report.read)});
  }
  if (report.read.bad_records > 0) {
    table.add("bad records", count_text(report.read.bad_records), example_lines(report.read));
  }
  if (report.peak_rss_bytes > 0) {
    table.add("peak memory", bytes_text(static_cast<double>(report.peak_rss_bytes)),
              {fmt::format("of {} allowed", bytes_text(static_cast<double>(report.memory_bytes)))});
  }
  out += table.text();

  std::string_view lead = "\nWritten: ";
  for (const std::string_view name : {"matches.tsv", "clusters.tsv", "summary.json"}) {
    out += fmt::format("{}{}\n", lead, printable((options.output / name).string(), false));
    lead = "         ";
  }
  return out;
}

std::string fingerprint_summary(const FingerprintReport& report) {
  std::string line = reading_text(report.read, report.seconds);
  if (report.too_short > 0) line += fmt::format("; {} too short", count_text(report.too_short));
  if (skipped_count(report.read) > 0) line += fmt::format("; skipped: {}", skipped_text(report.read));
  return line + "\n";
}

std::string match_summary(const MatchReport& report) {
  std::string line =
      fmt::format("{} against {} in {} (tables made in {}): {} matched", count_of(report.queries, "query", "queries"),
                  count_of(report.stored, "stored fingerprint"), seconds_text(report.query_seconds),
                  seconds_text(report.build_seconds), count_text(report.matched));
  if (report.added > 0) line += fmt::format(", {} added", count_text(report.added));
  return line + "\n";
}

std::string bad_record_remark(const ReadReport& report) {
  if (report.bad_records == 0) return {};
  std::string out = fmt::format("skipped {}:\n", count_of(report.bad_records, "bad record"));
  for (const std::string& line : example_lines(report)) out += fmt::format("  {}\n", line);
  return out;
}

}  // namespace refrain::cli
