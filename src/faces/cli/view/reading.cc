#include "faces/cli/view/reading.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "faces/cli/table/numbers.h"
#include "faces/cli/view/text.h"
#include "refrain/error.h"

namespace refrain::cli {

namespace {

constexpr std::size_t kShownExamples = 3;

std::string example_text(const BadRecord& record) {
  const std::string path = printable(record.path, false);
  const std::string reason = printable(record.reason, false);
  return record.line == 0 ? fmt::format("{}: {}", path, reason) : fmt::format("{}:{}: {}", path, record.line, reason);
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
  if (report.hidden_skipped > 0) parts.push_back(fmt::format("{} hidden", count_text(report.hidden_skipped)));
  if (report.binary_skipped > 0) parts.push_back(fmt::format("{} binary", count_text(report.binary_skipped)));
  if (report.special_skipped > 0) {
    parts.push_back(count_of(report.special_skipped, "link or special file", "links or special files"));
  }
  if (report.other_skipped > 0)
    parts.push_back(count_of(report.other_skipped, "record without a page", "records without a page"));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> skipped_lines(const ReadReport& report) {
  std::vector<std::string> lines = {skipped_text(report)};
  for (const SkippedKind& kind : report.binary) {
    std::vector<std::string> names;
    for (const std::string& path : kind.examples) names.push_back(printable(path, false));
    if (kind.files > names.size()) names.emplace_back("...");
    lines.push_back(fmt::format("{}: {}{}{}", count_of(kind.files, kind.kind), fmt::join(names, ", "),
                                kind.advice.empty() ? "" : "; ", kind.advice));
  }
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

std::uint64_t skipped_count(const ReadReport& report) {
  return report.hidden_skipped + report.binary_skipped + report.special_skipped + report.other_skipped;
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

void throw_if_nothing_read(const ReadReport& report) {
  if (report.documents != 0) return;
  throw Error(Errc::bad_input, skipped_count(report) == 0 ? std::string("no document was read: the input is empty")
                                                          : fmt::format("no document was read; skipped: {}",
                                                                        fmt::join(skipped_lines(report), "; ")));
}

}  // namespace refrain::cli
