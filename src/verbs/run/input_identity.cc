#include "verbs/run/input_identity.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "base/checksum.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "base/files/uninterrupted.h"
#include "refrain/error.h"

namespace refrain::verbs::run {

namespace fs = std::filesystem;

namespace {

std::string line_of(const std::string& path, const struct stat& info) {
  return fmt::format("{} {} {}.{:09}", path, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

// All regular files below a folder. What cannot be looked at is Error(io), unless that is to be passed over.
void add_files(const fs::path& folder, bool skip_unreadable, std::vector<std::string>& lines, std::uint64_t& bytes) {
  std::vector<std::string> names;
  try {
    names = list_folder(folder);
  } catch (const Error& error) {
    if (!skip_unreadable || error.code() != Errc::io) throw;
  }
  for (const std::string& name : names) {
    const fs::path path = folder / name;
    struct stat info {};
    if (uninterrupted([&] { return lstat(path.c_str(), &info); }) != 0) {
      if (errno != ENOENT && !skip_unreadable) refuse_read(path.string(), "stat", errno);
      continue;
    }
    if (S_ISDIR(info.st_mode)) add_files(path, skip_unreadable, lines, bytes);
    if (!S_ISREG(info.st_mode)) continue;
    bytes += static_cast<std::uint64_t>(info.st_size);
    lines.push_back(line_of(path.string(), info));
  }
}

}  // namespace

std::string input_identity(const InputOptions& input) {
  std::string text;
  for (const std::string& path : input.paths) {
    struct stat info {};
    if (path == "-") {
      text += "input -\n";
      continue;
    }
    const bool there = uninterrupted([&] { return stat(path.c_str(), &info); }) == 0;
    if (!there && errno != ENOENT && !input.skip_unreadable) refuse_read(path, "stat", errno);
    if (!there || !S_ISDIR(info.st_mode)) {
      text += "input " + line_of(path, info) + "\n";
    } else {
      std::vector<std::string> lines;
      std::uint64_t bytes = 0;
      add_files(path, input.skip_unreadable, lines, bytes);
      std::sort(lines.begin(), lines.end());
      std::uint64_t sum = 0;
      for (const std::string& line : lines) sum = checksum(fmt::format("{} {}", sum, line));
      text += fmt::format("input {} files {} bytes {} sum {}\n", path, lines.size(), bytes, sum);
    }
  }
  return text;
}

}  // namespace refrain::verbs::run
