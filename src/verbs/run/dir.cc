#include "verbs/run/dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <system_error>

#include "base/files/aside_name.h"
#include "base/files/path.h"
#include "base/files/random_file.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "verbs/run/ownership.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10;  // read at a time
constexpr const char* kIdentityName = "run.txt";
constexpr std::string_view kNoSum = "-";  // in a marker

void write_aside(const fs::path& path, std::string_view text) {
  AtomicFile file(path.string());
  file.out().write(text);
  file.commit();
}

// All but its identity, by which it is known whose folder it is. Several files at a time: a large one takes a while.
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

void remove_work(const fs::path& folder) {
  empty_work(folder);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

// Whether a run of `verb` was begun in it.
bool is_work_of(const fs::path& folder, const std::string& verb) {
  return path_kind(folder / kIdentityName) == PathKind::file &&
         read_file(folder / kIdentityName).starts_with(fmt::format("refrain {} ", verb));
}

// Whether nothing is in it but what a run that was killed at once may have left: its identity, not yet under its name.
bool barely_begun(const fs::path& folder) {
  const std::vector<std::string> names = list_folder(folder);
  return std::all_of(names.begin(), names.end(),
                     [](const std::string& name) { return is_aside_of(name, kIdentityName); });
}

// A folder that this run made, unless somebody has put something into it.
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
  if (target_.empty()) throw Error(Errc::invalid_argument, "no output folder; name one with -o DIR");
  const bool there = is_taken(target_);
  if (there && path_kind(target_) != PathKind::folder) refuse(target_, "exists and is not a folder; name another");
  const bool whole = there && holds_run_of(target_, options.verb);
  const bool ours = there && is_work_of(target_ / "work", options.verb);
  const bool begun = ours && !whole;
  if (options.resume) {
    if (whole) {
      // It may have been killed before it could take this away.
      if (ours) {
        const FileLock nobody_else(work(kIdentityName).string());
        remove_work(target_ / "work");
      }
      refuse(target_, "contains a finished run; there is nothing to resume");
    }
    if (!begun) refuse(target_, "contains no unfinished run; remove --resume");
    if (read_file(work(kIdentityName)) != options.identity)
      refuse(target_, "was started with other inputs or options; use the same ones, or start again with --force");
    lock_.emplace(work(kIdentityName).string());
    return;
  }
  if (there && !options.force)
    refuse(target_, begun ? "contains an unfinished run; continue with --resume, or start again with --force"
                          : "already exists; name another folder, or write into it with --force");
  if (!ours && is_taken(target_ / "work") && !barely_begun(target_ / "work"))
    refuse(target_ / "work", "exists, but was not written by this verb; name another folder");
  stale_ = replaceable(target_, options.outputs, whole || begun, {});
  if (is_taken(output(kSummaryName)) && !whole && !begun)
    refuse(output(kSummaryName), "exists, but was not written by this verb; name another folder");
  if (whole) stale_.push_back(output(kSummaryName));
  if (ours) lock_.emplace(work(kIdentityName).string());
  made_target_ = !there;
  make_folders(target_);
  // The old identity stays until the new one takes its place: a run that ends here is still known to be one.
  empty_work(target_ / "work");
  try {
    make_folders(target_ / "work");
    write_aside(work(kIdentityName), options.identity);
  } catch (const Error&) {
    if (!ours) remove_work(target_ / "work");
    if (made_target_) remove_if_empty(target_);
    throw;
  }
  lock_.emplace(work(kIdentityName).string());
}

bool RunDir::believe(const std::string& stage) {
  if (anew_ || !is_taken(marker(stage))) return false;
  const std::string text = read_file(marker(stage));
  // "file<TAB>bytes<TAB>sum" a file, a blank line, then the facts.
  std::string_view rest = text;
  Facts facts = facts_;
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
    }
  }
  if (files) return false;
  facts_ = std::move(facts);
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
  if (believe(name)) return false;
  std::error_code ignored;
  fs::remove(marker(name), ignored);
  anew_ = true;
  made_.clear();
  run();
  std::string text;
  for (const RunFile::Mark& mark : made_) {
    append_escaped(text, mark.name);
    text += fmt::format("\t{}\t{}\n", mark.bytes, mark.sum ? std::to_string(*mark.sum) : std::string(kNoSum));
  }
  text += '\n';
  text += facts_.lines();
  write_aside(marker(name), text);
  // The last of them is the summary: with it the earlier run is whole.
  for (const fs::path& path : stale_) check_untouched(target_, path.filename().string());
  while (!stale_.empty()) {
    fs::remove_all(stale_.back(), ignored);
    fs::remove(list_of_files(target_, stale_.back().filename().string()), ignored);
    stale_.pop_back();
  }
  return true;
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
  if (error) refuse_write(work(work_name).string(), error.value());
}

void RunDir::close(RunFile& file) {
  file.close(nameless_ == nullptr && !file.mark().name.starts_with("work/"));
  made_.push_back(file.mark());
}

void RunDir::close_folder(const std::string& name) {
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(output(name)))
    if (file.is_regular_file())
      made_.push_back({fs::relative(file.path(), target_).string(), file.file_size(), std::nullopt});
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
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(target_ / "work", ignored))
    if (file.is_regular_file(ignored)) bytes += file.file_size(ignored);
  return bytes;
}

void RunDir::abandon() {
  if (nameless_ != nullptr) return;
  lock_.reset();
  remove_work(target_ / "work");
  if (made_target_) remove_if_empty(target_);
}

void RunDir::finish(std::string_view summary) {
  if (nameless_ != nullptr) return;
  write_aside(output(kSummaryName), summary);
  lock_.reset();
  remove_work(target_ / "work");
  sync_folder(target_);
}

}  // namespace refrain::verbs::run
