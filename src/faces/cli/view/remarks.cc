#include "faces/cli/view/remarks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "faces/cli/table/numbers.h"
#include "faces/cli/view/terminal.h"
#include "refrain/error.h"

namespace refrain::cli {

namespace {

constexpr std::size_t kShownExamples = 3;

std::string example_text(const BadRecord& record) {
  const std::string path = printable(record.path, false);
  const std::string reason = printable(record.reason, false);
  return record.line == 0 ? fmt::format("{}: {}", path, reason) : fmt::format("{}:{}: {}", path, record.line, reason);
}

// Returns "5 images: a.png, b.png, c.png, ... (not text)" or, if the reasons differ, "3 links: a (one reason), b, c
// (another)".
std::string kind_line(const SkippedKind& kind) {
  std::string line = count_of(kind.files, kind.kind);
  const std::string more = kind.files > kind.examples.size() ? ", ..." : "";
  const bool alike = std::ranges::all_of(
      kind.examples, [&](const BadRecord& file) { return file.reason == kind.examples.front().reason; });
  for (std::size_t i = 0; i < kind.examples.size(); ++i) {
    const BadRecord& file = kind.examples[i];
    const bool last = i + 1 == kind.examples.size();
    line += fmt::format("{} {}{}", i == 0 ? ":" : ",", printable(file.path, false), last && alike ? more : "");
    if (last || kind.examples[i + 1].reason != file.reason) line += fmt::format(" ({})", printable(file.reason, false));
  }
  return alike ? line : line + more;
}

// Returns how many kinds of skipped files are shown. The files of the other kinds are only counted. A single other kind
// is shown, because counting it would take a line, too.
std::size_t shown_kinds(const ReadReport& report) {
  constexpr std::size_t kShown = 12;
  return report.skipped.size() <= kShown + 1 ? report.skipped.size() : kShown;
}

}  // namespace

std::string survey_remark(const InputSurvey& survey, const InputOptions& input) {
  constexpr std::size_t kShownKinds = 6;
  if (survey.files == 0) return {};
  std::vector<std::string> kinds;
  for (const InputSurvey::Kind& kind : survey.kinds) {
    if (kinds.size() == kShownKinds) {
      kinds.emplace_back("others");
      break;
    }
    const std::string packing = kind.packing.empty() ? "" : fmt::format(" ({})", kind.packing);
    const bool singular = kind.files == 1 && kind.name.ends_with('s');
    const std::string_view name = std::string_view(kind.name).substr(0, kind.name.size() - (singular ? 1 : 0));
    kinds.push_back(fmt::format("{} {}{}", count_text(kind.files), name, packing));
  }
  std::string line =
      fmt::format("{}{}: {}", survey.all ? "" : "more than ", count_of(survey.files, "file"), fmt::join(kinds, ", "));
  if (survey.records) {
    line += fmt::format("; text from \"{}\", ", printable(input.text_name(), false));
    line +=
        input.id_field.empty() ? "ids are ordinals" : fmt::format("ids from \"{}\"", printable(input.id_field, false));
  }
  return line + "\n";
}

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
  for (const SkippedKind& kind : report.skipped) parts.push_back(count_of(kind.files, kind.kind));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> skipped_lines(const ReadReport& report) {
  std::vector<std::string> lines;
  const std::size_t shown = shown_kinds(report);
  for (std::size_t i = 0; i < shown; ++i) lines.push_back(kind_line(report.skipped[i]));
  std::uint64_t others = 0;
  for (std::size_t i = shown; i < report.skipped.size(); ++i) others += report.skipped[i].files;
  if (others > 0)
    lines.push_back(fmt::format("{} of {} other kinds", count_of(others, "file"), report.skipped.size() - shown));
  return lines;
}

std::vector<std::string> recoded_lines(const ReadReport& report) {
  std::vector<std::string> parts;
  for (const RecodedFiles& files : report.recoded_from)
    parts.push_back(fmt::format("{} from {}", parts.empty() ? count_of(files.files, "file") : count_text(files.files),
                                printable(files.charset, false)));
  std::vector<std::string> lines;
  if (!parts.empty()) lines.push_back(fmt::format("{}", fmt::join(parts, ", ")));
  if (report.replaced > 0)
    lines.push_back(fmt::format("{} unknown to the charset, read as U+FFFD", count_of(report.replaced, "character")));
  return lines;
}

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

std::string bad_record_remark(const ReadReport& report) {
  if (report.bad_records == 0) return {};
  std::string out = fmt::format("skipped {}:\n", count_of(report.bad_records, "bad record"));
  for (const std::string& line : example_lines(report)) out += fmt::format("  {}\n", line);
  return out;
}

std::string unreadable_remark(const ReadReport& report) {
  if (report.unreadable.empty()) return {};
  std::string out =
      fmt::format("warning: {} could not be read and {} skipped:\n", count_of(report.unreadable.size(), "file"),
                  report.unreadable.size() == 1 ? "was" : "were");
  for (const BadRecord& file : report.unreadable) out += fmt::format("  {}\n", example_text(file));
  return out;
}

std::string skipped_remark(const ReadReport& report, bool listed) {
  ReadReport others = report;
  std::erase_if(others.skipped, [](const SkippedKind& kind) { return kind.kind == SkippedKind::kUnreadable; });
  if (others.skipped.empty()) return {};
  std::string out = fmt::format("skipped {}:\n", count_of(others.skipped_files(), "file"));
  for (const std::string& line : skipped_lines(others)) out += fmt::format("  {}\n", line);
  const bool all_shown =
      others.skipped.size() == shown_kinds(others) &&
      std::ranges::all_of(others.skipped, [](const SkippedKind& kind) { return kind.files == kind.examples.size(); });
  if (!listed && !all_shown) out += "  to list all of them, add --skipped FILE\n";
  return out;
}

void throw_if_nothing_read(const ReadReport& report) {
  if (report.documents != 0) return;
  std::vector<std::string> lines = skipped_lines(report);
  if (report.other_skipped > 0)
    lines.push_back(count_of(report.other_skipped, "record without a page", "records without a page"));
  throw Error(Errc::bad_input, lines.empty()
                                   ? std::string("no document was read: the input is empty")
                                   : fmt::format("no document was read; skipped: {}", fmt::join(lines, "; ")));
}

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
  const OverridesReport& overrides = report.overrides;
  for (std::size_t i = 0; i < std::min(overrides.missed.size(), kShown); ++i) {
    const MissedOverride& missed = overrides.missed[i];
    remarks.push_back(fmt::format("warning: override {} ({}{}) was not obeyed: {}\n", missed.seq, missed.op,
                                  missed.id.empty() ? "" : " " + printable(missed.id, false),
                                  missed.status == "stale" ? "the text has changed since" : "no such text"));
  }
  if (const std::uint64_t missed = overrides.stale + overrides.not_found; missed > kShown)
    remarks.push_back(fmt::format("warning: and {} more overrides; `refrain overrides check` lists them\n",
                                  count_text(missed - kShown)));
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
