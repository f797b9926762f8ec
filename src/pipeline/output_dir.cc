#include "pipeline/output_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "refrain/error.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

// Also where it is a link that leads nowhere: no folder can take its place.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

}  // namespace

OutputDir::OutputDir(fs::path target, bool force) : target_(std::move(target)) {
  if (!target_.has_filename()) target_ = target_.parent_path();  // "dir/" is "dir"
  if (target_.empty()) throw Error(Errc::invalid_argument, "no output directory; name one with -o DIR");
  std::error_code ignored;
  replace_ = is_there(target_);
  if (replace_ && !fs::is_directory(target_, ignored))
    throw Error(Errc::invalid_argument, fmt::format("{}: exists, and is not a folder; name another", target_.string()));
  if (replace_ && !force)
    throw Error(Errc::invalid_argument,
                fmt::format("{}: exists; name another directory, or write into it with --force", target_.string()));
  const fs::path parent = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  make_folders(parent);
  staging_ = std::make_unique<TempDir>(parent, fmt::format(".{}.partial", target_.filename().string()));
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
  OutputFile summary = create(kSummaryName);
  summary.write(text);
  summary.close();
  if (!replace_) return staging_->publish(target_);
  std::error_code ignored;
  fs::remove(target_ / kSummaryName, ignored);
  std::stable_partition(names_.begin(), names_.end(), [](const std::string& name) { return name != kSummaryName; });
  for (const std::string& name : names_) {
    if (fs::is_directory(target_ / name, ignored)) fs::remove_all(target_ / name, ignored);
    rename_checked(staging_->path() / name, target_ / name);
  }
  sync_folder(target_);
}

}  // namespace refrain
