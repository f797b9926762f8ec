#include "verbs/run/output_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/hash.h"
#include "refrain/error.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::run {

namespace fs = std::filesystem;

namespace {

// This file exists while files are being replaced, so what a killed run leaves is recognized as ours.
constexpr const char* kReplacingName = ".summary.json.replacing";

// Moves an old output folder out of the way: into `staging`, to be deleted with it. If somebody has put something
// into the folder since the run began, it stays beside its place instead, under the first free number.
void make_way(const fs::path& target, const std::string& name, const fs::path& staging) {
  try {
    check_untouched(target, name);
    rename_checked(target / name, staging / (name + ".old"));
  } catch (const Error& error) {
    if (error.code() != Errc::invalid_argument) throw;
    unsigned number = 1;
    while (is_taken(target / fmt::format("{}.{}", name, number))) ++number;
    rename_checked(target / name, target / fmt::format("{}.{}", name, number));
  }
}

}  // namespace

OutputDir::OutputDir(const OutputDirOptions& options) : target_(options.target) {
  if (!target_.has_filename()) target_ = target_.parent_path();  // "dir/" is "dir"
  if (target_.empty()) throw Error(Errc::invalid_argument, "no output folder; name one with `output`");
  replace_ = is_taken(target_);
  if (replace_ && path_kind(target_) != PathKind::folder)
    throw Error(Errc::invalid_argument, fmt::format("{}: exists and is not a folder; name another", target_.string()));
  if (replace_ && !options.force)
    throw Error(
        Errc::invalid_argument,
        fmt::format("{}: already exists; name another folder, or write into it with `force`", target_.string()));
  const bool ours = holds_run_of(target_, options.verb) || is_taken(target_ / kReplacingName);
  replaceable_ = replaceable(target_, options.outputs, ours, options.inputs);
  replaceable(target_, {kSummaryName}, holds_run_of(target_, {}), {});
  const fs::path parent = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  make_folders(parent);
  staging_ = std::make_unique<TempDir>(parent, "." + target_.filename().string());
}

OutputFile OutputDir::create(const std::string& name) {
  names_.push_back(name);
  return OutputFile((staging_->path() / name).string());
}

fs::path OutputDir::create_folder(const std::string& name) {
  names_.push_back(name);
  fs::path folder = staging_->path() / name;
  make_folder(folder);
  return folder;
}

void OutputDir::publish(std::string_view text) {
  for (const std::string& name : std::vector<std::string>(names_)) {
    if (path_kind(staging_->path() / name) != PathKind::folder) continue;
    list_files(staging_->path(), name, staging_->path() / name);
    // The list is moved before its folder: if this is interrupted in between, too little is known to be ours, not
    // too much.
    names_.insert(names_.begin(), list_of_files("", name).string());
  }
  names_.push_back(kSummaryName);
  AtomicFile summary((staging_->path() / kSummaryName).string());  // even here none that is cut off may be found
  summary.out().write(text);
  summary.commit();
  if (!replace_) return staging_->publish(target_);
  std::error_code ignored;
  OutputFile((target_ / kReplacingName).string()).close();
  sync_folder(target_);
  // The old summary is removed first and the new one added last, even if the power fails in between.
  fs::remove(target_ / kSummaryName, ignored);
  sync_folder(target_);
  std::erase(names_, kSummaryName);
  for (const fs::path& old : replaceable_)
    if (path_kind(old) == PathKind::file && std::ranges::find(names_, old.filename().string()) == names_.end())
      fs::remove(old, ignored);
  for (const std::string& name : names_)
    if (path_kind(target_ / name) == PathKind::folder) make_way(target_, name, staging_->path());
  for (const std::string& name : names_) rename_checked(staging_->path() / name, target_ / name);
  sync_folder(target_);
  rename_checked(staging_->path() / kSummaryName, target_ / kSummaryName);
  sync_folder(target_);
  fs::remove(target_ / kReplacingName, ignored);
}

namespace {

constexpr std::size_t kHeadBytes = 256;  // enough of a summary to find the verb

// Calls each(path, is_folder) for everything under folder/below that is not a folder with content, in byte order.
// The path is relative to `folder`; `is_folder` is true for an empty folder.
template <class Each>
void for_each_leaf(const fs::path& folder, const std::string& below, const Each& each) {
  for (const std::string& name : list_folder(folder / below)) {
    const std::string path = below.empty() ? name : fmt::format("{}/{}", below, name);
    std::error_code ignored;
    const bool is_folder = !fs::is_symlink(folder / path, ignored) && path_kind(folder / path) == PathKind::folder;
    if (is_folder && !list_folder(folder / path).empty())
      for_each_leaf(folder, path, each);
    else
      each(path, is_folder);
  }
}

}  // namespace

void refuse(const fs::path& path, const std::string& why) {
  throw Error(Errc::invalid_argument, fmt::format("{}: {}", path.string(), why));
}

fs::path list_of_files(const fs::path& folder, const std::string& name) {
  return folder / fmt::format(".{}.files", name);
}

void list_files(const fs::path& folder, const std::string& name, const fs::path& made) {
  AtomicFile file(list_of_files(folder, name).string());
  std::string line;
  for_each_leaf(made, "", [&](const std::string& below, bool) {
    line.clear();
    append_escaped(line, below);
    line += '\n';
    file.out().write(line);
  });
  file.commit();
}

void check_untouched(const fs::path& folder, const std::string& name) {
  const fs::path list = list_of_files(folder, name);
  if (path_kind(folder / name) != PathKind::folder || path_kind(list) != PathKind::file) return;
  std::vector<std::uint64_t> known;  // checksums of the lines: eight bytes per file, however long the names
  std::ifstream lines(list);
  if (!lines) throw_read_error(list.string(), "open", errno);
  // Checksums of the folders above those files. Such a folder is empty for a moment while the files of a run are
  // removed, and stays empty if the run is interrupted there.
  std::vector<std::uint64_t> folders;
  std::string before;
  for (std::string line; std::getline(lines, line); before.swap(line)) {
    known.push_back(checksum(line));
    const std::string_view path = line;
    for (std::size_t end = path.find('/'); end != std::string_view::npos; end = path.find('/', end + 1))
      if (!before.starts_with(path.substr(0, end + 1))) folders.push_back(checksum(path.substr(0, end)));
  }
  if (lines.bad()) throw_read_error(list.string(), "read", EIO);
  std::sort(known.begin(), known.end());
  std::sort(folders.begin(), folders.end());
  std::string line;
  for_each_leaf(folder / name, "", [&](const std::string& below, bool is_folder) {
    line.clear();
    append_escaped(line, below);
    const std::uint64_t sum = checksum(line);
    if (!std::binary_search(known.begin(), known.end(), sum) &&
        !(is_folder && std::binary_search(folders.begin(), folders.end(), sum)))
      refuse(folder / name / below,
             "was not written by the run that wrote the folder; move it away, or name another folder");
  });
}

bool holds_run_of(const fs::path& folder, const std::string& verb) {
  const fs::path path = folder / kSummaryName;
  if (path_kind(path) != PathKind::file) return false;
  // Every summary begins with the verb.
  const std::string mark = verb.empty() ? "\"verb\": \"" : fmt::format("\"verb\": \"{}\"", verb);
  return read_file_part(path, 0, kHeadBytes).find(mark) != std::string::npos;
}

namespace {

bool is_table(std::string_view name) {
  return name.ends_with(".parquet");
}

// Whether Parquet tables in the folder may be those of a run: a finished one says whether it wrote any.
bool may_hold_tables(const fs::path& folder) {
  const fs::path path = folder / kSummaryName;
  if (path_kind(path) != PathKind::file) return true;
  return read_file_part(path, 0, fs::file_size(path)).find("\"tables\": \"parquet\"") != std::string::npos;
}

}  // namespace

std::vector<std::string> with_tables(std::vector<std::string> outputs, const std::vector<std::string>& tables,
                                     const fs::path& folder, bool written) {
  if (written || folder.empty() || may_hold_tables(folder)) outputs.insert(outputs.end(), tables.begin(), tables.end());
  return outputs;
}

std::vector<fs::path> replaceable(const fs::path& folder, const std::vector<std::string>& outputs, bool ours,
                                  const std::vector<std::string>& inputs) {
  std::vector<fs::path> there;
  for (const std::string& name : outputs) {
    const fs::path path = folder / name;
    for (const std::string& input : inputs)
      if (input != "-" && is_within(input, path))
        refuse(path,
               fmt::format("would be replaced, but {} is read from there; name another output with `output`", input));
    if (!is_taken(path)) {
      if (ours && is_taken(list_of_files(folder, name))) there.push_back(path);
      continue;
    }
    if (!ours || (is_table(name) && !may_hold_tables(folder)))
      refuse(path, "exists, but was not written by this verb; name another folder");
    check_untouched(folder, name);
    there.push_back(path);
  }
  return there;
}

}  // namespace refrain::verbs::run
