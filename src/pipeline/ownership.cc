#include "pipeline/ownership.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/random_file.h"
#include "refrain/error.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHeadBytes = 256;  // of a summary

// When the file was last written to, renamed or given other permissions. Nobody can set this back.
timespec changed_at(const fs::path& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 ? info.st_ctim : timespec{};
}

bool is_later(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw Error(Errc::invalid_argument, fmt::format("{}: {}", path.string(), why));
}

void check_untouched(const fs::path& folder, const timespec& since) {
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    const bool counts = !entry.is_directory() || entry.is_symlink() || fs::is_empty(entry.path());
    if (counts && is_later(changed_at(entry.path()), since))
      refuse(entry.path(),
             "was put there, or changed, after the run that made the folder; move it away, or name another "
             "directory");
  }
}

}  // namespace

bool holds_run_of(const fs::path& folder, const std::string& verb) {
  const fs::path path = folder / kSummaryName;
  if (path_kind(path) != PathKind::file) return false;
  // Every summary begins with the verb.
  const std::string mark = verb.empty() ? "\"verb\": \"" : fmt::format("\"verb\": \"{}\"", verb);
  return read_file_part(path, 0, kHeadBytes).find(mark) != std::string::npos;
}

std::vector<fs::path> replaceable(const fs::path& folder, const std::vector<std::string>& outputs, bool ours,
                                  const std::vector<std::string>& inputs) {
  std::vector<fs::path> there;
  const bool ended = is_taken(folder / kSummaryName);
  for (const std::string& name : outputs) {
    const fs::path path = folder / name;
    for (const std::string& input : inputs)
      if (input != "-" && lies_in(input, path))
        refuse(path,
               fmt::format("would be replaced, and {} is read from there; name another output with -o DIR", input));
    if (!is_taken(path)) continue;
    if (!ours) refuse(path, "is there, and no run made it; name another directory");
    if (ended && path_kind(path) == PathKind::folder) check_untouched(path, changed_at(folder / kSummaryName));
    there.push_back(path);
  }
  return there;
}

}  // namespace refrain
