#include "verbs/run/dir.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <exception>
#include <map>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/files/temp.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "refrain/fingerprint.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;  // size of one read
constexpr const char* kIdentityName = "run.txt";
constexpr std::string_view kInputName = "input";  // begins the lines of an identity that describe the input
constexpr std::string_view kOtherInput = "with other input";
constexpr std::string_view kOtherFile = "with a different version of";
constexpr std::string_view kNoSum = "-";  // in a marker, in place of a checksum

void write_aside(const fs::path& path, std::string_view text) {
  AtomicFile file(path.string());
  file.out().write(text);
  file.commit();
}

// Removes everything but the identity, which shows whose folder it is. Removes several files at a time, because a
// large one takes a while.
void empty_work(const fs::path& folder) {
  constexpr unsigned kAtOnce = 8;
  std::vector<fs::path> paths;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
    if (at->path().filename() != kIdentityName) paths.push_back(at->path());
  parallel_for(kAtOnce, paths.size(), [&](unsigned, std::size_t i) {
    std::error_code left;
    fs::remove_all(paths[i], left);
  });
}

// Removes the identity last, even if the power fails: a folder without it would be taken for a user's.
void remove_work(const fs::path& folder) {
  empty_work(folder);
  sync_folder(folder);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

// Removes the folder after an error. The original error is the one to report, so this throws none.
void try_to_remove_work(const fs::path& folder) noexcept try { remove_work(folder); } catch (const std::exception&) {
  // The folder stays, and is still recognized as a run's.
}

// Whether a run of `verb` was begun in the folder.
bool is_work_of(const fs::path& folder, const std::string& verb) {
  return path_kind(folder / kIdentityName) == PathKind::file &&
         read_file(folder / kIdentityName).starts_with(fmt::format("refrain {} ", verb));
}

// Whether the folder holds at most what a run that was killed at once leaves: its identity file under a temporary
// name.
bool barely_begun(const fs::path& folder) {
  const std::vector<std::string> names = list_folder(folder);
  return std::all_of(names.begin(), names.end(),
                     [](const std::string& name) { return is_aside_of(name, kIdentityName); });
}

using Values = std::vector<std::string_view>;  // the values of one option

// The lines of an identity, by the names that they begin with. An option can have several values, or none.
std::map<std::string_view, Values> values_by_name(std::string_view identity) {
  std::map<std::string_view, Values> values;
  while (!identity.empty()) {
    const std::string_view line = identity.substr(0, identity.find('\n'));
    identity.remove_prefix(std::min(identity.size(), line.size() + 1));
    const std::string_view name = line.substr(0, line.find(' '));
    if (line.size() == name.size())
      values[name].push_back("true");
    else if (line.size() > name.size() + 1)
      values[name].push_back(line.substr(name.size() + 1));
  }
  return values;
}

Values without(Values values, const Values& others) {
  std::erase_if(values, [&](std::string_view value) { return std::ranges::find(others, value) != others.end(); });
  return values;
}

// The value, or the path in one that names a file or folder: there, a tab follows, and what differs if it changes.
std::string_view shown(std::string_view value) {
  return value.substr(0, value.rfind('\t'));
}

// The first few, for a message.
std::string text_of(const Values& values) {
  constexpr std::size_t kShown = 3;
  Values first;
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i) first.push_back(shown(values[i]));
  return fmt::format("{}{}", fmt::join(first, ", "), values.size() > kShown ? ", ..." : "");
}

// The first file or folder that was given then and now, but has changed. Empty if there is none.
std::string_view changed_file(const Values& before, const Values& now) {
  for (const std::string_view value : before)
    for (const std::string_view other : now)
      if (value != other && shown(value) == shown(other)) return shown(value);
  return {};
}

// Describes how an option was given and how it is now: "with `window` 5, not 3". For an option with several values,
// names only those that differ. The values of an option that takes none are true and false.
std::string option_difference(std::string_view name, Values before, Values now) {
  const std::string option = fmt::format("`{}`", name);
  const Values on = {"true"};
  const Values off = {"false"};
  if (before == on && (now.empty() || now == off)) return fmt::format("with {}", option);
  if (now == on && (before.empty() || before == off)) return fmt::format("without {}", option);
  if (Values old_ones = without(before, now), new_ones = without(now, before); !old_ones.empty() || !new_ones.empty()) {
    before = std::move(old_ones);
    now = std::move(new_ones);
  }
  if (const std::string_view file = changed_file(before, now); !file.empty())
    return fmt::format("{} {}", kOtherFile, file);
  if (name == "tokenizer" && !before.empty() && !now.empty())
    return fmt::format("with {} {}, not {}", option, tokenizer_text(before.front()), tokenizer_text(now.front()));
  if (before.empty()) return fmt::format("without {} {}", option, text_of(now));
  if (now.empty()) return fmt::format("with {} {}", option, text_of(before));
  return fmt::format("with {} {}, not {}", option, text_of(before), text_of(now));
}

// Describes the first difference between two identities. They have lines of an option's name and a value each; the
// first line has the version.
std::string difference(std::string_view before, std::string_view now) {
  const auto old_values = values_by_name(before);
  const auto new_values = values_by_name(now);
  const auto of = [](const auto& values, std::string_view name) {
    const auto found = values.find(name);
    return found == values.end() ? Values() : found->second;
  };
  if (of(old_values, "refrain") != of(new_values, "refrain")) return "with another version of refrain";
  // In the order of the lines, so that what follows from an option comes after it.
  for (std::string_view lines : {before, now}) {
    for (; !lines.empty(); lines.remove_prefix(std::min(lines.find('\n'), lines.size() - 1) + 1)) {
      const std::string_view name = lines.substr(0, std::min(lines.find(' '), lines.find('\n')));
      if (name == kInputName || of(old_values, name) == of(new_values, name)) continue;
      return option_difference(name, of(old_values, name), of(new_values, name));
    }
  }
  const Values missing = without(of(old_values, kInputName), of(new_values, kInputName));
  if (const std::string_view file = changed_file(missing, of(new_values, kInputName)); !file.empty())
    return fmt::format("{} {}", kOtherFile, file);
  return missing.empty() ? std::string(kOtherInput) : fmt::format("{} ({})", kOtherInput, shown(missing.front()));
}

// Removes a folder that this run made, unless somebody has put something into it.
void remove_if_empty(const fs::path& folder) {
  std::error_code ignored;
  fs::remove(folder, ignored);
}

}  // namespace

RunFile::RunFile(const fs::path& path, std::string name, MemoryBudget& budget)
    : reservation_(budget.reserve(OutputFile::kBufferBytes, "output buffers")), out_(path.string()) {
  mark_.name = std::move(name);
}

void RunFile::write(std::string_view bytes) {
  sum_ += checksum_at(out_.bytes(), bytes);
  out_.write(bytes);
}

void RunFile::write_at(std::uint64_t place, std::string_view bytes) {
  out_.write_at(place, bytes);
  std::atomic_ref(sum_) += checksum_at(place, bytes);
  std::atomic_ref(placed_bytes_) += bytes.size();
}

void RunFile::close(bool sync) {
  mark_.bytes = out_.bytes() + placed_bytes_;
  mark_.sum = sum_;
  if (sync)
    out_.close();
  else
    out_.close_unsynced();
}

bool RunFile::holds(const fs::path& path, const Mark& mark) {
  if (mark.name.ends_with('/')) return path_kind(path) == PathKind::folder;
  if (path_kind(path) != PathKind::file || RandomFile(path).size() != mark.bytes) return false;
  if (!mark.sum) return true;
  InputFile file(path.string());
  std::string chunk(kChunkBytes, '\0');
  std::uint64_t sum = 0;
  std::uint64_t place = 0;
  for (std::size_t size = 0; (size = file.read(chunk.data(), chunk.size())) != 0; place += size)
    sum += checksum_at(place, std::string_view(chunk).substr(0, size));
  return sum == mark.sum;
}

RunDir::RunDir(const RunDirOptions& options, MemoryBudget& budget)
    : budget_(budget), nameless_(options.nameless), target_(options.target.lexically_normal()) {
  if (nameless_ != nullptr) return;
  if (!target_.has_filename()) target_ = target_.parent_path();
  if (target_.empty()) throw Error(Errc::invalid_argument, "no output folder; name one with `output`");
  const bool there = is_taken(target_);
  if (there && path_kind(target_) != PathKind::folder) refuse(target_, "exists and is not a folder; name another");
  const bool whole = there && holds_run_of(target_, options.verb);
  const bool ours = there && is_work_of(target_ / "work", options.verb);
  const bool begun = ours && !whole;
  if (options.resume) {
    if (whole) {
      // The run may have been killed before it could remove this.
      if (ours) {
        const FileLock nobody_else(work(kIdentityName).string());
        remove_work(target_ / "work");
      } else {
        remove_if_empty(target_ / "work");
      }
      refuse(target_, "contains a finished run; there is nothing to resume");
    }
    if (!begun) refuse(target_, "contains no unfinished run; remove `resume`");
    if (const std::string found = read_file(work(kIdentityName)); found != options.identity) {
      const std::string differs = difference(found, options.identity);
      if (options.changed_input && (differs.starts_with(kOtherInput) || differs.starts_with(kOtherFile)))
        if (const std::optional<std::string> changed = options.changed_input(began()))
          refuse(*changed,
                 fmt::format("changed after the run in {} began; start again with `force`", target_.string()));
      refuse(target_,
             fmt::format("was started {}; use the same inputs and options, or start again with `force`", differs));
    }
    lock_.emplace(work(kIdentityName).string());
    resumed_ = true;
    for (const std::string& name : options.outputs)
      if (is_stale(name)) stale_.push_back(output(name));
    return;
  }
  if (there && !options.force)
    refuse(target_, begun ? "contains an unfinished run; continue with `resume`, or start again with `force`"
                          : "already exists; name another folder, or write into it with `force`");
  if (!ours && is_taken(target_ / "work") && !barely_begun(target_ / "work"))
    refuse(target_ / "work", "exists, but was not written by this verb; name another folder");
  stale_ = replaceable(target_, options.outputs, whole || begun, {});
  if (is_taken(output(kSummaryName)) && !whole && !begun)
    refuse(output(kSummaryName), "exists, but was not written by this verb; name another folder");
  if (whole) stale_.push_back(output(kSummaryName));
  if (ours) lock_.emplace(work(kIdentityName).string());
  made_target_ = !there;
  make_folders(target_);
  // The old identity stays until the new one replaces it, so a run that ends here is still recognized as one.
  empty_work(target_ / "work");
  try {
    make_folders(target_ / "work");
    if (ours) sync_folder(target_ / "work");  // no marker of the old run may reappear and be trusted by this one
    write_aside(work(kIdentityName), options.identity);
  } catch (const Error&) {
    if (!ours) try_to_remove_work(target_ / "work");
    if (made_target_) remove_if_empty(target_);
    throw;
  }
  lock_.emplace(work(kIdentityName).string());
}

timespec RunDir::began() const {
  struct stat info {};
  const std::string path = work(kIdentityName).string();
  if (retry_on_eintr([&] { return stat(path.c_str(), &info); }) != 0) throw_read_error(path, "stat", errno);
  return info.st_mtim;
}

bool RunDir::trust_marker(const std::string& stage) {
  if (stage_ran_ || !is_taken(marker(stage))) return false;
  const std::string text = read_file(marker(stage));
  // The format: "name<TAB>bytes<TAB>sum" for each file, a blank line, then the facts.
  std::string_view rest = text;
  Facts facts;
  std::vector<fs::path> stale = stale_;
  bool files = true;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return false;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (line.empty()) {
      files = false;
    } else if (!files) {
      facts.add_line(line);
    } else {
      const std::size_t sum = line.rfind('\t');
      const std::size_t bytes = sum == std::string_view::npos ? sum : line.rfind('\t', sum - 1);
      if (bytes == std::string_view::npos) return false;
      const auto size = parse_decimal(line.substr(bytes + 1, sum - bytes - 1));
      const std::string_view value = line.substr(sum + 1);
      const std::optional<std::uint64_t> known = parse_decimal(value);
      const std::string name = unescaped(line.substr(0, bytes));
      if (!size || (!known && value != kNoSum) || !RunFile::holds(target_ / name, {name, *size, known})) return false;
      std::erase(stale, target_ / *fs::path(name).begin());
    }
  }
  if (files) return false;
  facts_ = std::move(facts);
  stale_ = std::move(stale);
  return true;
}

fs::path RunDir::work(const std::string& name) const {
  if (nameless_ == nullptr) return target_ / "work" / name;
  const auto found = files_.find("work/" + name);
  if (found == files_.end()) throw Error(Errc::corrupt, fmt::format("work/: '{}' is missing", name));
  return found->second.path();
}

bool RunDir::stage(const std::string& name, const std::function<void()>& run) {
  if (nameless_ != nullptr) {
    run();
    return true;
  }
  if (trust_marker(name)) return false;
  std::error_code ignored;
  fs::remove(marker(name), ignored);
  stage_ran_ = true;
  made_.clear();
  if (resumed_) remove_stale();
  run();
  std::string text;
  for (const RunFile::Mark& mark : made_) {
    append_escaped(text, mark.name);
    text += fmt::format("\t{}\t{}\n", mark.bytes, mark.sum ? std::to_string(*mark.sum) : std::string(kNoSum));
  }
  text += '\n';
  text += facts_.lines();
  write_aside(marker(name), text);
  remove_stale();
  return true;
}

// Whether an output or a list of its files exists that this run may not have made. A folder without a list belongs
// to a user.
bool RunDir::is_stale(const std::string& name) const {
  return path_kind(output(name)) == PathKind::file || is_taken(list_of_files(target_, name));
}

// Removes outputs of an earlier run, in an order that survives a power failure. A run with a summary counts as
// complete, so the summary goes first. A folder without a list of its files counts as a user's, so the lists go
// last.
void RunDir::remove_stale() {
  if (stale_.empty()) return;
  std::error_code ignored;
  for (const fs::path& path : stale_) check_untouched(target_, path.filename().string());
  if (stale_.back().filename() == kSummaryName) {
    fs::remove(stale_.back(), ignored);
    stale_.pop_back();
    sync_folder(target_);
  }
  for (const fs::path& path : stale_) fs::remove_all(path, ignored);
  sync_folder(target_);
  for (const fs::path& path : stale_) fs::remove(list_of_files(target_, path.filename().string()), ignored);
  stale_.clear();
}

RunFile RunDir::create_nameless(const std::string& name) {
  const TempFile& file = files_.insert_or_assign(name, TempFile(*nameless_)).first->second;
  return {file.path(), name, budget_};
}

RunFile RunDir::create_work(const std::string& name) {
  if (nameless_ != nullptr) return create_nameless("work/" + name);
  return {work(name), "work/" + name, budget_};
}

RunFile RunDir::create_output(const std::string& name) {
  if (nameless_ != nullptr) return create_nameless(name);
  return {output(name), name, budget_};
}

void RunDir::discard(const std::string& work_name) {
  if (nameless_ != nullptr) {
    files_.erase("work/" + work_name);
    return;
  }
  std::error_code error;
  fs::remove(work(work_name), error);
  if (error) throw_write_error(work(work_name).string(), error.value());
}

void RunDir::close(RunFile& file) {
  file.close(nameless_ == nullptr && !file.mark().name.starts_with("work/"));
  made_.push_back(file.mark());
}

void RunDir::close_folder(const std::string& name) {
  made_.push_back({name + '/', 0, std::nullopt});
  for_each_file(output(name), [&](const fs::path& below) {
    made_.push_back({(name / below).string(), file_bytes(output(name) / below), std::nullopt});
  });
}

bool RunDir::ended(const std::string& stage) const {
  if (nameless_ != nullptr) return false;
  return is_taken(marker(stage));
}

void RunDir::forget(const std::string& stage) {
  if (nameless_ != nullptr) return;
  std::error_code ignored;
  fs::remove(marker(stage), ignored);
}

std::uint64_t RunDir::work_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [name, file] : files_) bytes += RandomFile(file.path()).size();
  if (nameless_ != nullptr) return bytes;
  for (const std::string& name : list_folder(target_ / "work"))
    if (path_kind(work(name)) == PathKind::file) bytes += file_bytes(work(name));
  return bytes;
}

void RunDir::abandon() {
  if (nameless_ != nullptr) return;
  lock_.reset();
  try_to_remove_work(target_ / "work");
  if (made_target_) remove_if_empty(target_);
}

void RunDir::sync() const {
  if (nameless_ == nullptr) sync_filesystem(target_);
}

void RunDir::finish(std::string_view summary) {
  if (nameless_ != nullptr) return;
  remove_stale();
  sync_folder(target_);  // all outputs must be on disk before the summary is
  write_aside(output(kSummaryName), summary);
  lock_.reset();
  remove_work(target_ / "work");
  sync_folder(target_);
}

}  // namespace refrain::verbs::run
