#include "verbs/known/text_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "base/files/path.h"
#include "base/hash.h"
#include "corpus/formats/raw_json.h"
#include "refrain/error.h"
#include "refrain/json_text.h"

namespace refrain::verbs::known {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kVersionKey = "{\"texts\":";
constexpr std::string_view kHead = "{\"texts\":1,\"checksum\":\"";
constexpr std::string_view kMarkHead = "{\"texts\":2,\"checksum\":\"";
constexpr std::string_view kBeforeSynced = "\"synced\":\"";
constexpr std::string_view kBeforeId = "\"id\":\"";
constexpr std::string_view kBetween = "\",\"text\":\"";
constexpr std::string_view kTail = "\"}";
constexpr std::string_view kRemoved = "{\"texts\":1,\"removed\":true}";
constexpr std::size_t kSumDigits = 16;
constexpr std::size_t kSummedFrom = kHead.size() + kSumDigits + 2;  // after the `",`
constexpr std::size_t kReadAtOnce = std::size_t{1} << 20;
constexpr std::string_view kTextsSuffix = ".jsonl";

// Returns the number in a name that texts_name() makes, or nothing for any other name.
std::optional<std::uint64_t> number_of_texts(std::string_view name) {
  const std::string folder = std::string(kTextsFolder) + "/";
  if (!name.starts_with(folder) || !name.ends_with(kTextsSuffix)) return std::nullopt;
  const std::string_view digits = name.substr(folder.size(), name.size() - folder.size() - kTextsSuffix.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || texts_name(number) != name) return std::nullopt;
  return number;
}

// Returns where a JSON string ends: at the first quote that no backslash escapes.
std::size_t end_of_string(std::string_view raw) {
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '"') return i;
    if (raw[i] == '\\') ++i;
  }
  return std::string_view::npos;
}

// A line that was too short for kRemoved contains only blanks.
bool is_removed(std::string_view line) {
  if (line.starts_with(kRemoved)) line.remove_prefix(kRemoved.size());
  return line.find_first_not_of(' ') == std::string_view::npos;
}

void write_removed(OutputFile& out, std::uint64_t bytes) {
  static const std::string kBlanks(std::size_t{1} << 16, ' ');
  if (bytes >= kRemoved.size()) {
    out.write(kRemoved);
    bytes -= kRemoved.size();
  }
  for (; bytes > kBlanks.size(); bytes -= kBlanks.size()) out.write(kBlanks);
  out.write(std::string_view(kBlanks).substr(0, bytes));
}

// Inserts the checksum of the rest of the line, which must begin with a head of this size.
void put_checksum(std::string& line) {
  fmt::format_to_n(line.data() + kHead.size(), kSumDigits, "{:016x}",
                   checksum(std::string_view(line).substr(kSummedFrom)));
}
static_assert(kHead.size() == kMarkHead.size());

bool has_checksum(std::string_view line) {
  return line.size() >= kSummedFrom &&
         line.substr(kHead.size(), kSumDigits) == fmt::format("{:016x}", checksum(line.substr(kSummedFrom)));
}

// Whether the first line of a file shows that another version wrote it.
bool is_of_other_version(std::string_view line) {
  return line.starts_with(kVersionKey) && !line.starts_with("{\"texts\":1,") && !line.starts_with("{\"texts\":2,");
}

std::set<std::string> names_in_manifest(const library::Manifest& manifest) {
  std::set<std::string> names(manifest.runs.begin(), manifest.runs.end());
  for (const library::SegmentInfo& segment : manifest.segments) names.insert(segment.run);
  return names;
}

std::string new_log_path(const std::filesystem::path& library, const std::string& name) {
  make_folders(library / kTextsFolder);
  return (library / name).string();
}

}  // namespace

std::string texts_name(std::uint64_t number) {
  return fmt::format("{}/{:06}{}", kTextsFolder, number, kTextsSuffix);
}

std::vector<std::string> text_file_names(const fs::path& library) {
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
  const std::set<std::string> known = names_in_manifest(manifest);
  std::vector<std::string> names = text_file_names(library);
  std::erase_if(names, [&](const std::string& name) { return known.contains(name); });
  return names;
}

std::uint64_t next_texts_number(const fs::path& library, const library::Manifest& manifest) {
  std::uint64_t last = 0;
  const auto count = [&](const std::string& name) { last = std::max(last, number_of_texts(name).value_or(0)); };
  for (const std::string& name : text_file_names(library)) count(name);
  for (const std::string& name : names_in_manifest(manifest)) count(name);
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
  put_checksum(line);
  line += '\n';
  return record;
}

std::string make_sync_mark(std::uint64_t offset) {
  std::string line(kMarkHead);
  line.append(kSumDigits, '0');
  line += fmt::format("\",{}{:016x}\"}}", kBeforeSynced, offset);
  put_checksum(line);
  return line + '\n';
}

std::string damage_text(const fs::path& file, const TextRecords::Damage& damage) {
  return fmt::format(
      "{}: damaged at byte {} ({} bytes); restore it from a copy, or drop what is damaged with 'refrain library check "
      "--repair'",
      file.string(), damage.begin, damage.bytes);
}

TextRecords::TextRecords(fs::path path, MemoryBudget& budget)
    : path_(std::move(path)), file_(path_.string()), memory_(budget.reserve(0, "a file of texts")) {}

bool TextRecords::next(Record& record) {
  while (true) {
    const Line line = next_line(record);
    if (!damages_.empty()) throw Error(Errc::corrupt, damage_text(path_, damages_.front()));
    if (line == Line::record || line == Line::end) return line == Line::record;
  }
}

TextRecords::Line TextRecords::next_line(Record& record) {
  record = {};
  if (!read_line()) {
    // Without sync marks, only a line without an end is known to be unfinished.
    if (!has_marks_) damages_ = std::exchange(doubtful_, {});
    for (const Damage& damage : doubtful_) cut_off_ += damage.bytes + 1;
    return Line::end;
  }
  const Line line = line_.size() == bytes_ ? read(record) : Line::damaged;
  if (line == Line::mark) {
    has_marks_ = true;
    damages_.insert(damages_.end(), doubtful_.begin(), doubtful_.end());
    doubtful_.clear();
  } else if (line == Line::damaged) {
    note_damage();
  }
  return line;
}

// Adjacent damaged lines count as one.
void TextRecords::note_damage() {
  if (!doubtful_.empty() && doubtful_.back().begin + doubtful_.back().bytes + 1 == place_)
    doubtful_.back().bytes += bytes_ + 1;
  else
    doubtful_.push_back({place_, bytes_});
}

// Returns false at the end.
bool TextRecords::read_line() {
  std::size_t searched = at_;
  std::uint64_t skipped = 0;  // bytes of the line that are no longer in the buffer
  while (true) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos) {
      line_ = std::string_view(buffer_).substr(at_, end - at_);
      place_ = next_;
      bytes_ = skipped + line_.size();
      next_ += bytes_ + 1;
      at_ = end + 1;
      return true;
    }
    buffer_.erase(0, std::exchange(at_, 0));
    // No valid line contains zeros. A file may end with very many of them, which need not be held.
    if (buffer_.find('\0') != std::string::npos) {
      skipped += buffer_.size();
      buffer_.clear();
    }
    searched = buffer_.size();
    memory_.resize(2 * (searched + kReadAtOnce), "a file of texts");
    buffer_.resize(searched + kReadAtOnce);
    buffer_.resize(searched + file_.read(buffer_.data() + searched, kReadAtOnce));
    if (buffer_.size() > searched) continue;
    cut_off_ = skipped + buffer_.size();
    return false;
  }
}

TextRecords::Line TextRecords::read(Record& record) const {
  if (is_removed(line_)) return Line::removed;
  if (place_ == 0 && is_of_other_version(line_))
    throw Error(Errc::unsupported,
                fmt::format("{}: written by another version of Refrain; use that one", path_.string()));
  if (!has_checksum(line_)) return Line::damaged;
  if (line_.starts_with(kMarkHead)) {
    std::string mark = make_sync_mark(place_);
    mark.pop_back();
    return line_ == mark ? Line::mark : Line::damaged;
  }
  const std::string_view summed = line_.substr(kSummedFrom);
  if (!line_.starts_with(kHead) || !summed.starts_with(kBeforeId) || !summed.ends_with(kTail)) return Line::damaged;
  const std::string_view fields = summed.substr(kBeforeId.size());
  const std::size_t id_end = end_of_string(fields);
  if (id_end == std::string_view::npos || !fields.substr(id_end).starts_with(kBetween)) return Line::damaged;
  const std::size_t begin = id_end + kBetween.size();
  if (begin + kTail.size() > fields.size()) return Line::damaged;
  const std::string_view raw = fields.substr(begin, fields.size() - kTail.size() - begin);
  std::optional<std::string> id = corpus::json_content(fields.substr(0, id_end));
  std::optional<std::string> text = corpus::json_content(raw);
  if (!id || !text) return Line::damaged;
  record.id = std::move(*id);
  record.text = std::move(*text);
  record.begin = place_ + static_cast<std::uint64_t>(raw.data() - line_.data());
  record.bytes = raw.size();
  return Line::record;
}

namespace {

// Copies the file, with blanks in place of damaged lines and of records for which goes() returns true.
template <class Goes>
void rewrite_texts(const fs::path& file, MemoryBudget& budget, Goes goes) {
  AtomicFile out(file.string());
  TextRecords records(file, budget);
  TextRecords::Record record;
  while (true) {
    const TextRecords::Line line = records.next_line(record);
    if (line == TextRecords::Line::end) break;
    if (line == TextRecords::Line::damaged || (line == TextRecords::Line::record && goes(record)))
      write_removed(out.out(), records.line_bytes());
    else
      out.out().write(records.line());
    out.out().write("\n");
  }
  out.commit();
}

}  // namespace

void blank_other_texts(const fs::path& file, std::span<const std::uint64_t> begins, MemoryBudget& budget) {
  const auto goes = [&](const TextRecords::Record& record) {
    return !std::binary_search(begins.begin(), begins.end(), record.begin);
  };
  bool any = false;
  TextRecords::Record record;
  for (TextRecords records(file, budget); records.next(record);) any = any || goes(record);
  if (any) rewrite_texts(file, budget, goes);
}

void blank_damaged_lines(const fs::path& file, MemoryBudget& budget) {
  rewrite_texts(file, budget, [](const TextRecords::Record&) { return false; });
}

TextLog::TextLog(const std::filesystem::path& library, std::string name)
    : name_(std::move(name)), file_(new_log_path(library, name_)), reader_(file_.path()) {
  const std::string mark = make_sync_mark(0);
  file_.append(mark);
  file_.sync();
  durable_ = mark.size();
  sync_folder(library / kTextsFolder);
}

std::uint64_t TextLog::append(std::string_view record) {
  const std::lock_guard lock(mutex_);
  if (failure_) throw Error(*failure_);
  // A batch is written only after all batches before it are on disk.
  if (waiting_.empty()) waiting_ = make_sync_mark(durable_ + writing_.size());
  const std::uint64_t place = durable_ + writing_.size() + waiting_.size();
  waiting_ += record;
  return place;
}

void TextLog::sync(std::uint64_t end) {
  std::unique_lock lock(mutex_);
  while (durable_ < end) {
    if (failure_) throw Error(*failure_);
    if (syncing_)
      changed_.wait(lock);
    else
      write_waiting(lock);
  }
}

// One of the waiting threads writes and syncs for all of them.
void TextLog::write_waiting(std::unique_lock<std::mutex>& lock) {
  syncing_ = true;
  writing_.swap(waiting_);
  lock.unlock();
  std::optional<Error> failure;
  try {
    file_.append(writing_);
    file_.sync();
  } catch (const Error& error) {
    failure = error;
    file_.cut(durable_);
  }
  lock.lock();
  syncing_ = false;
  if (failure) {
    failure_ = std::move(failure);
    waiting_.clear();
  } else {
    durable_ += writing_.size();
  }
  writing_.clear();
  changed_.notify_all();
}

std::string TextLog::read(std::uint64_t begin, std::uint64_t bytes) const {
  {
    const std::lock_guard lock(mutex_);
    if (begin >= durable_) {
      const std::uint64_t at = begin - durable_;
      if (at + bytes <= writing_.size()) return writing_.substr(at, bytes);
      if (failure_ || at < writing_.size() || at - writing_.size() + bytes > waiting_.size())
        throw Error(Errc::io, file_.path() + ": what was added could not be written");
      return waiting_.substr(at - writing_.size(), bytes);
    }
  }
  std::string out(bytes, '\0');
  reader_.read(begin, out);
  return out;
}

std::uint64_t TextLog::end() const {
  const std::lock_guard lock(mutex_);
  return durable_ + writing_.size() + waiting_.size();
}

std::uint64_t TextLog::durable() const {
  const std::lock_guard lock(mutex_);
  return durable_;
}

bool TextLog::failed() const {
  const std::lock_guard lock(mutex_);
  return failure_.has_value();
}

}  // namespace refrain::verbs::known
