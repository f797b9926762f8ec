#include "corpus/files/format.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"
#include "base/files/uninterrupted.h"
#include "corpus/files/decompress.h"
#include "corpus/formats/csv.h"
#include "corpus/formats/json_values.h"
#include "corpus/formats/piece.h"
#include "corpus/formats/recognize.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// Formats by the extensions of files, in upper or lower case.
constexpr std::pair<std::string_view, Format> kEndings[] = {
    {".jsonl", Format::jsonl},  {".ndjson", Format::jsonl},  {".jsonlines", Format::jsonl},
    {".ldjson", Format::jsonl}, {".jl", Format::jsonl},      {".csv", Format::csv},
    {".tsv", Format::tsv},      {".warc", Format::warc},     {".wet", Format::warc},
    {".wat", Format::warc},     {".arc", Format::warc},      {".parquet", Format::parquet},
    {".pq", Format::parquet},   {".arrow", Format::parquet}, {".feather", Format::parquet},
    {".ipc", Format::parquet},
};

bool ends_with_word(std::string_view path, std::string_view ending) {
  return path.size() >= ending.size() && same_word(path.substr(path.size() - ending.size()), ending);
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
  switch (layout) {
    case JsonLayout::unknown:
      // A longer record on one line is unlikely to be a configuration file; a longer one over several lines is not
      // JSONL.
      return beginning.find('\n', beginning.find('{')) == std::string::npos ? Format::jsonl : Format::files;
    case JsonLayout::lines:
      return Format::jsonl;
    case JsonLayout::values:
      return Format::json;
    default:
      return Format::files;
  }
}

// Whether mailboxes have such names. Only files with such names are opened to check their content.
bool is_mailbox_name(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);  // npos + 1 is 0
  path = without_packing(path);
  if (path.find('.') == std::string_view::npos) return true;  // for example Inbox
  if (ends_with_word(path, ".mbox") || ends_with_word(path, ".mbx")) return true;
  // Archives of Mailman are named like this: 2010-March.txt.
  return ends_with_word(path, ".txt") && path.size() > 5 && path[4] == '-' &&
         std::all_of(path.begin(), path.begin() + 4, is_digit);
}

// Whether the file at `path` begins like a mailbox. Errors are ignored here and reported when the file is read.
bool is_mailbox(const std::string& path, MemoryBudget& budget) {
  if (regular_size(path) == 0) return false;
  std::string beginning(kBinaryBytes, '\0');
  try {
    ByteStream file(budget);
    file.open(path);
    beginning.resize(file.read(beginning.data(), beginning.size()));
  } catch (const Error& error) {
    if (error.code() == Errc::over_budget) throw;
    return false;
  }
  return begins_mailbox(beginning);
}

}  // namespace

std::uint64_t regular_size(const std::string& path) {
  struct stat info {};
  const bool there = retry_on_eintr([&] { return stat(path.c_str(), &info); }) == 0;
  return there && S_ISREG(info.st_mode) ? static_cast<std::uint64_t>(info.st_size) : 0;
}

char sniffed_delimiter(const InputOptions& options, const std::string& path, MemoryBudget& budget) {
  constexpr std::string_view kDelimiters = ",;\t|";
  if (path == "-" || regular_size(path) == 0) return kDelimiters.front();
  std::string beginning(std::size_t{64} << 10, '\0');
  try {
    ByteStream file(budget);
    file.open(path);
    file.recode(options.charset);
    beginning.resize(file.read(beginning.data(), beginning.size()));
  } catch (const Error& error) {
    if (error.code() == Errc::over_budget) throw;
    return kDelimiters.front();
  }
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

Format format_of(const InputOptions& options, std::string_view path) {
  if (options.format != Format::automatic) return options.format;
  if (path == "-") return names_fields(options) ? Format::jsonl : Format::lines;
  path = without_packing(path);
  if (ends_with_word(path, ".json")) return Format::automatic;
  for (const auto& [ending, format] : kEndings)
    if (ends_with_word(path, ending)) return format;
  return Format::files;
}

Format recognized_format(const InputOptions& options, MemoryBudget& budget, const std::string& path, bool named,
                         const std::string& source) {
  const Format format = format_of(options, path);
  if (format == Format::automatic) return json_format(options, source, budget);
  const bool may_be_mailbox = format == Format::files && options.format == Format::automatic && !options.as_is;
  return may_be_mailbox && (named || is_mailbox_name(path)) && is_mailbox(source, budget) ? Format::mbox : format;
}

}  // namespace refrain::corpus
