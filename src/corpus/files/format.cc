#include "corpus/files/format.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/files/file.h"
#include "corpus/files/decompress.h"
#include "corpus/formats/csv.h"
#include "corpus/formats/jsonl.h"
#include "corpus/formats/raw_json.h"
#include "corpus/formats/recognize.h"
#include "corpus/formats/record_parser.h"
#include "corpus/formats/warc.h"
#include "corpus/markup/mail.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// clang-format off
// In the order of Format, without `automatic`.
const std::vector<InputFormat>& built_in_formats() {
  static const std::vector<InputFormat> rows = {
      {.id = Format::files, .name = "files", .title = "documents", .storage = Storage::file},
      {.id = Format::lines, .name = "lines", .title = "line by line", .storage = Storage::line, .splits = true,
       .scanner = make_scanner<LineScanner>, .parser = make_parser<LineParser>},
      {.id = Format::jsonl, .name = "jsonl", .title = "JSONL", .storage = Storage::json,
       .endings = {".jsonl", ".ndjson", ".jsonlines", ".ldjson", ".jl"}, .splits = true,
       .scanner = make_scanner<LineScanner>, .parser = make_parser<JsonlParser>},
      {.id = Format::csv, .name = "csv", .title = "CSV", .storage = Storage::field, .endings = {".csv"},
       .delimiter = ',', .scanner = make_scanner<CsvScanner>, .parser = make_parser<CsvParser>},
      {.id = Format::tsv, .name = "tsv", .title = "TSV", .storage = Storage::field, .endings = {".tsv"},
       .delimiter = '\t', .scanner = make_scanner<CsvScanner>, .parser = make_parser<CsvParser>},
      {.id = Format::warc, .name = "warc", .title = "WARC", .noun = "web archive",
       .endings = {".warc", ".wet", ".wat", ".arc"}, .own_ids = true, .record_size = warc_record_size,
       .scanner = make_scanner<WarcScanner>, .parser = make_parser<WarcParser>},
      {.id = Format::parquet, .name = "parquet", .title = "Parquet", .storage = Storage::column,
       .endings = {".parquet", ".pq", ".arrow", ".feather", ".ipc"}},
      {.id = Format::json, .name = "json", .title = "JSON", .storage = Storage::json, .listed = true,
       .scanner = make_scanner<JsonListScanner>, .parser = make_parser<JsonListParser>},
      {.id = Format::mbox, .name = "mbox", .title = "mbox", .noun = "mailbox", .begins = begins_mailbox,
       .is_usual_name = is_mailbox_name, .own_ids = true, .scanner = make_scanner<MboxScanner>,
       .parser = make_parser<MboxParser>},
  };
  return rows;
}
// clang-format on

// Returns the first row for which fits() is true, or null.
template <class Fits>
const InputFormat* find_row(const SourceOptions& options, Fits fits) {
  for (const InputFormat& row : built_in_formats())
    if (fits(row)) return &row;
  for (const InputFormat* row : options.more_formats)
    if (fits(*row)) return row;
  return nullptr;
}

bool asks_for_id(const InputOptions& options) {
  return !options.id_field.empty() && !options.id_optional;
}

// Whether the options name fields, so that the input must consist of records.
bool names_fields(const InputOptions& options) {
  return !options.text_field.empty() || asks_for_id(options) || !options.extra_fields.empty();
}

// Data sets, single records and configuration files are all called .json, so the beginning of the file decides. It is
// read as far as the first record extends. Errors are ignored here and reported when the file is read. A pipe is not
// touched.
Format json_format(const InputOptions& options, const std::string& path, MemoryBudget& budget) {
  constexpr std::size_t kLookedAt = std::size_t{64} << 10;
  constexpr std::size_t kMost = std::size_t{4} << 20;
  const bool records = !options.text_field.empty() || asks_for_id(options);
  struct stat info {};
  const bool there = retry_on_eintr([&] { return stat(path.c_str(), &info); }) == 0;
  if (!there || !S_ISREG(info.st_mode)) return records ? Format::jsonl : Format::files;
  const std::string field = records ? std::string() : options.text_name();
  std::string beginning;
  JsonLayout layout = JsonLayout::none;
  try {
    ByteStream file(budget);
    file.open(path);
    for (std::size_t size = kLookedAt; size <= kMost; size *= 4) {
      const std::size_t have = beginning.size();
      beginning.resize(size);
      beginning.resize(have + file.read(beginning.data() + have, size - have));
      layout = json_layout(beginning, field, beginning.size() < size);
      if (layout != JsonLayout::unknown || beginning.size() < size) break;
    }
  } catch (const Error& error) {
    if (error.code() == Errc::over_budget) throw;
    return Format::files;
  }
  // A longer record on one line is unlikely to be a configuration file; a longer one over several lines is not JSONL.
  const bool one_line = beginning.find('\n', beginning.find('{')) == std::string::npos;
  if (layout == JsonLayout::lines || (layout == JsonLayout::unknown && one_line)) return Format::jsonl;
  return layout == JsonLayout::values ? Format::json : Format::files;
}

// The first `size` bytes of a regular file, converted from `charset` unless that is null. Errors are ignored here and
// reported when the file is read.
std::string beginning_of(const std::string& path, std::size_t size, const std::string* charset, MemoryBudget& budget) {
  std::string beginning;
  if (regular_size(path) == 0) return beginning;
  try {
    ByteStream file(budget);
    file.open(path);
    if (charset != nullptr) file.recode(*charset);
    beginning.resize(size);
    beginning.resize(file.read(beginning.data(), size));
  } catch (const Error& error) {
    if (error.code() == Errc::over_budget) throw;
    beginning.clear();
  }
  return beginning;
}

}  // namespace

std::uint64_t regular_size(const std::string& path) {
  struct stat info {};
  const bool there = retry_on_eintr([&] { return stat(path.c_str(), &info); }) == 0;
  return there && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
}

char sniffed_delimiter(const InputOptions& options, const std::string& path, MemoryBudget& budget) {
  constexpr std::string_view kDelimiters = ",;\t|";
  if (path == "-") return kDelimiters.front();
  const std::string beginning = beginning_of(path, std::size_t{64} << 10, &options.charset, budget);
  std::string_view header = beginning;
  if (header.starts_with(kByteOrderMark)) header.remove_prefix(kByteOrderMark.size());
  InputOptions text_alone;
  text_alone.text_field = options.text_field;
  for (const char delimiter : kDelimiters) try {
      CsvColumns columns;
      read_csv_header(header, delimiter, path, text_alone, columns);
      return delimiter;
    } catch (const Error&) {
      continue;  // no such column, or not a table
    }
  return kDelimiters.front();
}

const InputFormat& format_row(const SourceOptions& options, Format format) {
  if (format == Format::automatic) format = Format::files;
  const InputFormat* const row = find_row(options, [&](const InputFormat& each) { return each.id == format; });
  if (row == nullptr) throw Error(Errc::invalid_argument, "`format`: there is no such format");
  return *row;
}

const InputFormat* format_of(const SourceOptions& options, std::string_view path) {
  if (options.format != Format::automatic) return &format_row(options, options.format);
  if (path == "-") return &format_row(options, names_fields(options) ? Format::jsonl : Format::lines);
  path = without_packing(path);
  if (has_ending(path, ".json")) return nullptr;
  const InputFormat* const row = find_row(options, [&](const InputFormat& each) {
    return std::ranges::any_of(each.endings, [&](std::string_view ending) { return has_ending(path, ending); });
  });
  return row != nullptr ? row : &format_row(options, Format::files);
}

const InputFormat& recognized_format(const SourceOptions& options, MemoryBudget& budget, const std::string& path,
                                     bool named, const std::string& source) {
  const InputFormat* const format = format_of(options, path);
  if (format == nullptr) return format_row(options, json_format(options, source, budget));
  if (format->storage != Storage::file || options.format != Format::automatic || options.as_is) return *format;
  std::optional<std::string> beginning;
  const InputFormat* const row = find_row(options, [&](const InputFormat& each) {
    if (each.begins == nullptr || !(named || each.is_usual_name(path))) return false;
    if (!beginning) beginning = beginning_of(source, kBinaryBytes, nullptr, budget);
    return each.begins(*beginning);
  });
  return row != nullptr ? *row : *format;
}

std::optional<std::string> text_of_raw(Format format, std::string_view raw) {
  const auto row = std::ranges::find(built_in_formats(), format, &InputFormat::id);
  if (row == built_in_formats().end()) return std::nullopt;
  if (row->storage == Storage::json) return json_content(raw);
  if (row->storage == Storage::field) return csv_content(raw, row->delimiter);
  return std::string(raw);
}

}  // namespace refrain::corpus

namespace refrain {

std::vector<std::string_view> format_names() {
  std::vector<std::string_view> names = {"auto"};
  for (const corpus::InputFormat& row : corpus::built_in_formats()) names.push_back(row.name);
  return names;
}

}  // namespace refrain
