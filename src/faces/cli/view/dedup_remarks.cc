#include "faces/cli/view/dedup_remarks.h"

#include <fmt/format.h>

#include <algorithm>

#include "faces/cli/table/numbers.h"
#include "faces/cli/view/text.h"

namespace refrain::cli {

std::vector<std::string> estimate_remarks(const DedupEstimate& estimate, std::string_view folder) {
  const std::string where = printable(folder, false);
  const std::string memory = size_of(estimate.memory_bytes);
  const std::string free = size_of(estimate.disk_free_bytes);
  if (!estimate.known)
    return {fmt::format("input size unknown; needs up to {} of memory, and more disk in {} than the text ({} free)\n",
                        memory, where, free)};
  std::vector<std::string> lines;
  std::string line = fmt::format("{} in {}", size_of(estimate.bytes), count_of(estimate.files, "file"));
  if (estimate.packed) line += fmt::format(", about {} uncompressed", size_of(estimate.unpacked_bytes));
  line += fmt::format("; needs about {} of memory and {} of disk in {} ({} free)", memory, size_of(estimate.disk_bytes),
                      where, free);
  if (estimate.temp_bytes != 0)
    line += fmt::format(", and about {} for temporary files ({} free)", size_of(estimate.temp_bytes),
                        size_of(estimate.temp_free_bytes));
  lines.push_back(line + "\n");
  if (!estimate.disk_suffices())
    lines.push_back("warning: there may not be enough disk space; free some, or write elsewhere (-o, --temp-dir)\n");
  return lines;
}

std::vector<std::string> dedup_warnings(const DedupReport& report) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> remarks;
  for (std::size_t i = 0; i < std::min(report.alarms.size(), kShown); ++i) {
    const SourceLoss& loss = report.alarms[i];
    remarks.push_back(fmt::format("warning: {} loses {} of its {} documents ({})\n",
                                  loss.source.empty() ? "the input" : printable(loss.source, false),
                                  count_text(loss.removed), count_text(loss.documents),
                                  share_text(loss.removed, loss.documents)));
  }
  if (report.alarms.size() > kShown)
    remarks.push_back(fmt::format("warning: and {} more sources\n", report.alarms.size() - kShown));
  if (report.read.bad_records > 0 && !report.read.examples.empty()) {
    const BadRecord& first = report.read.examples.front();
    remarks.push_back(fmt::format("warning: {} could not be read; first error: {}{}: {}\n",
                                  count_of(report.read.bad_records, "record"), printable(first.path, false),
                                  first.line == 0 ? "" : fmt::format(":{}", first.line),
                                  printable(first.reason, false)));
  }
  if (!report.absent_sources.empty())
    remarks.push_back(
        fmt::format("warning: no document has these --keep sources: {}\n", printable(report.absent_sources, false)));
  if (report.unranked > 0)
    remarks.push_back(fmt::format("warning: {} of {} documents lack the --keep field; they rank last\n",
                                  count_text(report.unranked), count_text(report.read.documents)));
  if (report.unsourced > 0)
    remarks.push_back(fmt::format("warning: {} of {} documents have no source field; they count as one source\n",
                                  count_text(report.unsourced), count_text(report.read.documents)));
  if (report.shared_ids > 0)
    remarks.push_back(fmt::format(
        "warning: {} an earlier id, e.g. '{}'; decisions with the same id cannot be told apart; apply them with "
        "--apply or --annotate\n",
        report.shared_ids == 1 ? "one document repeats" : count_text(report.shared_ids) + " documents repeat",
        elided(report.shared_id, {})));
  return remarks;
}

}  // namespace refrain::cli
