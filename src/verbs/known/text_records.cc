#include "verbs/known/text_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "base/checksum.h"
#include "base/files/path.h"
#include "corpus/formats/raw_text.h"
#include "refrain/error.h"
#include "refrain/json_text.h"

namespace refrain::verbs::known {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kVersionKey = "{\"texts\":";
constexpr std::string_view kHead = "{\"texts\":1,\"checksum\":\"";
constexpr std::string_view kBeforeId = "\"id\":\"";
constexpr std::string_view kBetween = "\",\"text\":\"";
constexpr std::string_view kTail = "\"}";
constexpr std::string_view kRemoved = "{\"texts\":1,\"removed\":true}";
constexpr std::size_t kSumDigits = 16;
constexpr std::size_t kSummedFrom = kHead.size() + kSumDigits + 2;  // behind the `",`
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;
constexpr std::string_view kTextsSuffix = ".jsonl";

// The number in a name that texts_name() makes; nothing for any other name.
std::optional<std::uint64_t> number_of_texts(std::string_view name) {
  const std::string folder = std::string(kTextsFolder) + "/";
  if (!name.starts_with(folder) || !name.ends_with(kTextsSuffix)) return std::nullopt;
  const std::string_view digits = name.substr(folder.size(), name.size() - folder.size() - kTextsSuffix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || texts_name(number) != name) return std::nullopt;
  return number;
}

// Where a string of JSON ends: at the first quote that no backslash escapes.
std::size_t end_of_string(std::string_view raw) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '"') return i;
    if (raw[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

bool is_removed(std::string_view line) {
  return line.starts_with(kRemoved) && line.find_first_not_of(' ', kRemoved.size()) == std::string_view::npos;
}

std::set<std::string> taken_up(const library::Manifest& manifest) {
  std::set<std::string> names(manifest.runs.begin(), manifest.runs.end());
  for (const library::SegmentInfo& segment : manifest.segments) names.insert(segment.run);
  return names;
}

}  // namespace

std::string texts_name(std::uint64_t number) {
  return fmt::format("{}/{:06}{}", kTextsFolder, number, kTextsSuffix);
}

std::vector<std::string> all_texts(const fs::path& library) {
  std::vector<std::pair<std::uint64_t, std::string>> files;
  for (const std::string& file : list_folder(library / kTextsFolder)) {
    std::string name = std::string(kTextsFolder) + "/" + file;
    if (const std::optional<std::uint64_t> number = number_of_texts(name)) files.emplace_back(*number, std::move(name));
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> names;
  for (auto& [number, name] : files) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> waiting_texts(const fs::path& library, const library::Manifest& manifest) {
  const std::set<std::string> known = taken_up(manifest);
  std::vector<std::string> names = all_texts(library);
  std::erase_if(names, [&](const std::string& name) { return known.contains(name); });
  return names;
}

std::uint64_t next_texts_number(const fs::path& library, const library::Manifest& manifest) {
  std::uint64_t last = 0;
  const auto count = [&](const std::string& name) { last = std::max(last, number_of_texts(name).value_or(0)); };
  for (const std::string& name : all_texts(library)) count(name);
  for (const std::string& name : taken_up(manifest)) count(name);
  return last + 1;
}

TextRecord make_text_record(std::string_view id, std::string_view text) {
  TextRecord record;
  std::string& line = record.line;
  line.reserve(kSummedFrom + id.size() + text.size() + text.size() / 8 + 64);
  line += kHead;
  line.append(kSumDigits, '0');
  line += "\",";
  line += kBeforeId;
  append_json_escaped(line, id);
  line += kBetween;
  record.begin = line.size();
  append_json_escaped(line, text);
  record.bytes = line.size() - record.begin;
  line += kTail;
  fmt::format_to_n(line.data() + kHead.size(), kSumDigits, "{:016x}",
                   checksum(std::string_view(line).substr(kSummedFrom)));
  line += '\n';
  return record;
}

TextRecords::TextRecords(fs::path path, MemoryBudget& budget)
    : path_(std::move(path)), file_(path_.string()), memory_(budget.reserve(0, "a file of texts")) {}

bool TextRecords::next(Record& record) {
  do
    if (!next_of_all(record)) return false;
  while (record.begin == 0);
  return true;
}

bool TextRecords::next_of_all(Record& record) {
  if (!next_line()) return false;
  record = {};
  if (!is_removed(line_)) read(record);
  return true;
}

bool TextRecords::next_line() {
  std::size_t searched = at_;
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line_ = std::string_view(buffer_).substr(at_, end - at_);
      place_ = next_;
      next_ += line_.size() + 1;
      at_ = end + 1;
      return true;
    }
    buffer_.erase(0, std::exchange(at_, 0));
    searched = buffer_.size();
    memory_.resize(2 * (searched + kReadAtOnce), "a file of texts");
    buffer_.resize(searched + kReadAtOnce);
    buffer_.resize(searched + file_.read(buffer_.data() + searched, kReadAtOnce));
    if (buffer_.size() > searched) continue;
    cut_off_ = buffer_.size();
    return false;
  }
}

void TextRecords::read(Record& record) const {
  const auto damaged = [&] {
    return Error(Errc::corrupt, fmt::format("{}: damaged at byte {}; restore it from a copy, or delete that line to go "
                                            "on without the document",
                                            path_.string(), place_));
  };
  if (!line_.starts_with(kHead)) {
    if (line_.starts_with(kVersionKey) && !line_.starts_with("{\"texts\":1,"))
      throw Error(Errc::unsupported,
                  fmt::format("{}: written by another version of Refrain; use that one", path_.string()));
    throw damaged();
  }
  if (line_.size() < kSummedFrom + kBeforeId.size()) throw damaged();
  const std::string_view summed = line_.substr(kSummedFrom);
  if (line_.substr(kHead.size(), kSumDigits) != fmt::format("{:016x}", checksum(summed)) || !summed.ends_with(kTail))
    throw damaged();
  const std::string_view fields = summed.substr(kBeforeId.size());
  const std::size_t id_end = end_of_string(fields);
  if (id_end == std::string_view::npos || !fields.substr(id_end).starts_with(kBetween)) throw damaged();
  const std::size_t begin = id_end + kBetween.size();
  if (begin + kTail.size() > fields.size()) throw damaged();
  const std::string_view raw = fields.substr(begin, fields.size() - kTail.size() - begin);
  std::optional<std::string> id = corpus::text_of_raw(Format::jsonl, fields.substr(0, id_end));
  std::optional<std::string> text = corpus::text_of_raw(Format::jsonl, raw);
  if (!id || !text) throw damaged();
  record.id = std::move(*id);
  record.text = std::move(*text);
  record.begin = place_ + static_cast<std::uint64_t>(raw.data() - line_.data());
  record.bytes = raw.size();
}

void blank_other_texts(const fs::path& file, std::span<const std::uint64_t> begins, MemoryBudget& budget) {
  const auto goes = [&](const TextRecords::Record& record) {
    return record.begin != 0 && !std::binary_search(begins.begin(), begins.end(), record.begin);
  };
  TextRecords::Record record;
  {
    bool any = false;
    for (TextRecords records(file, budget); !any && records.next(record);) any = goes(record);
    if (!any) return;
  }
  AtomicFile out(file.string());
  for (TextRecords records(file, budget); records.next_of_all(record);) {
    std::string line(records.line());
    if (goes(record)) line = std::string(kRemoved).append(line.size() - kRemoved.size(), ' ');
    out.out().write(line);
    out.out().write("\n");
  }
  out.commit();
}

}  // namespace refrain::verbs::known
