#include "faces/cli/view/library.h"

#include <fmt/format.h>

#include "faces/cli/view/figures.h"
#include "faces/cli/view/text.h"
#include "refrain/numbers.h"

namespace refrain::cli {

std::string library_stats_text(const LibraryStats& stats) {
  Table table;
  std::vector<std::string> removed;
  if (stats.removed > 0)
    removed.push_back(fmt::format("{} more removed but not yet merged away", count_text(stats.removed)));
  table.add("documents", count_text(stats.documents), removed);
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
  if (stats.texts_bytes > 0) {
    std::vector<std::string> waiting;
    if (stats.waiting_documents > 0)
      waiting.push_back(fmt::format("{} not yet in a segment", count_of(stats.waiting_documents, "document")));
    table.add("texts", size_of(stats.texts_bytes), waiting);
  }
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

std::string library_merge_summary(const std::string& library, const LibraryWriteReport& report) {
  const std::string what = report.merged_segments == 0
                               ? std::string("nothing to merge")
                               : fmt::format("{} merged", count_of(report.merged_segments, "segment"));
  return fmt::format("{}: {}; {} in {}\n", printable(library, false), what, size_of(report.library_bytes),
                     count_of(report.segments, "segment"));
}

std::string library_remove_summary(const std::string& library, const LibraryWriteReport& report) {
  return fmt::format("{}: {} removed\n", printable(library, false), count_of(report.removed, "document"));
}

std::string library_export_summary(const LibraryExportReport& report) {
  return fmt::format("{} in {}\n", count_of(report.documents, "document"), seconds_text(report.seconds));
}

}  // namespace refrain::cli
