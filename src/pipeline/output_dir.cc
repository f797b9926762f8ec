#include "pipeline/output_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "refrain/error.h"

namespace refrain {

namespace fs = std::filesystem;

OutputDir::OutputDir(fs::path target, bool force) : target_(std::move(target)) {
  if (!target_.has_filename()) target_ = target_.parent_path();  // "dir/" is "dir"
  if (target_.empty()) throw Error(Errc::invalid_argument, "no output directory; name one with -o DIR");
  std::error_code ignored;
  replace_ = fs::exists(target_, ignored);
  if (replace_ && !fs::is_directory(target_, ignored))
    throw Error(Errc::invalid_argument, fmt::format("{}: exists, and is not a folder; name another", target_.string()));
  if (replace_ && !force)
    throw Error(Errc::invalid_argument,
                fmt::format("{}: exists; name another directory, or write into it with --force", target_.string()));
  std::error_code error;
  fs::create_directories(parent(), error);
  if (error) throw Error(Errc::io, fmt::format("{}: cannot make the folder: {}", parent().string(), error.message()));
  // Made and removed: better to learn now that nothing can be written there. It is made again when there is something
  // to write, so that reading an input that holds the target does not meet it.
  const TempDir probe(parent(), staging_prefix());
}

fs::path OutputDir::parent() const {
  return target_.has_parent_path() ? target_.parent_path() : fs::path(".");
}

std::string OutputDir::staging_prefix() const {
  return fmt::format(".{}.partial", target_.filename().string());
}

OutputFile OutputDir::create(const std::string& name) {
  if (!staging_) staging_ = std::make_unique<TempDir>(parent(), staging_prefix());
  names_.push_back(name);
  return OutputFile((staging_->path() / name).string());
}

void OutputDir::publish() {
  if (!replace_) return staging_->publish(target_);
  std::error_code ignored;
  fs::remove(target_ / kSummaryName, ignored);
  std::stable_partition(names_.begin(), names_.end(), [](const std::string& name) { return name != kSummaryName; });
  for (const std::string& name : names_) rename_checked(staging_->path() / name, target_ / name);
  sync_folder(target_);
}

}  // namespace refrain
