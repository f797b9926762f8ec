#include "verbs/run/output_dir.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "base/files/path.h"
#include "refrain/error.h"

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
  replaceable(target_, options.outputs, ours, options.inputs);
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
  OutputFile summary = create(kSummaryName);
  summary.write(text);
  summary.close();
  if (!replace_) return staging_->publish(target_);
  std::error_code ignored;
  OutputFile((target_ / kReplacingName).string()).close();
  sync_folder(target_);
  // The old summary is removed first and the new one added last, even if the power fails in between.
  fs::remove(target_ / kSummaryName, ignored);
  sync_folder(target_);
  std::erase(names_, kSummaryName);
  for (const std::string& name : names_)
    if (path_kind(target_ / name) == PathKind::folder) make_way(target_, name, staging_->path());
  for (const std::string& name : names_) rename_checked(staging_->path() / name, target_ / name);
  sync_folder(target_);
  rename_checked(staging_->path() / kSummaryName, target_ / kSummaryName);
  sync_folder(target_);
  fs::remove(target_ / kReplacingName, ignored);
}

}  // namespace refrain::verbs::run
