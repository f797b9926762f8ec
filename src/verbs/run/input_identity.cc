#include "verbs/run/input_identity.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <vector>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/hash.h"
#include "corpus/files/listing.h"
#include "refrain/error.h"

namespace refrain::verbs::run {

namespace fs = std::filesystem;

namespace {

std::string line_of(const std::string& path, const struct stat& info) {
  return fmt::format("{}\t{} {}.{:09}", path, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

using VisitFile = std::function<void(const std::string& path, const struct stat& info)>;

// all: as the listing has them, hidden ones included. Hidden files are not read, and an output that is being written
// inside the input is hidden, too. The others leave them out, and look at the files again: those that are there now,
// or those that are listed.
enum class Which { all, there_now, listed_now };

using corpus::Listing;

// False if it does not exist, or `skip_unreadable` is set and it cannot be examined.
bool examine(const fs::path& path, bool skip_unreadable, struct stat& info) {
  if (retry_on_eintr([&] { return lstat(path.c_str(), &info); }) == 0) return true;
  if (errno != ENOENT && !skip_unreadable) throw_read_error(path.string(), "stat", errno);
  return false;
}

// Visits all regular files below a folder, in byte order of their names, folder by folder. Throws Error(io) if a
// file cannot be examined, unless `skip_unreadable` is set.
void visit_files(const fs::path& folder, bool skip_unreadable, Which which, const VisitFile& visit) {
  std::vector<std::string> names;
  try {
    names = list_folder(folder);
  } catch (const Error& error) {
    if (!skip_unreadable || error.code() != Errc::io) throw;
  }
  for (const std::string& name : names) {
    if (which != Which::all && name.front() == '.') continue;
    const fs::path path = folder / name;
    struct stat info {};
    if (!examine(path, skip_unreadable, info)) continue;
    if (S_ISDIR(info.st_mode)) visit_files(path, skip_unreadable, which, visit);
    if (S_ISREG(info.st_mode)) visit(path.string(), info);
  }
}

// The same for a folder that is listed. A file that is not looked at again has its size and modification time.
void visit_listed(const Listing& listing, const Listing::Folder& folder, const fs::path& path, bool skip_unreadable,
                  Which which, const VisitFile& visit) {
  for (std::size_t i = folder.begin; i < folder.end; ++i) {
    const Listing::Entry& entry = listing[i];
    if (which != Which::all && listing.name(entry).front() == '.') continue;
    const fs::path below = path / listing.name(entry);
    struct stat info {};
    if (const std::optional<Listing::Folder> listed = listing.folder(entry)) {
      visit_listed(listing, *listed, below, skip_unreadable, which, visit);
    } else if (entry.kind == Listing::Kind::folder) {
      visit_files(below, skip_unreadable, which, visit);
    } else if (entry.examined && which == Which::all) {
      info.st_size = static_cast<off_t>(entry.size);
      info.st_mtim = {.tv_sec = entry.modified_seconds, .tv_nsec = entry.modified_nanoseconds};
      visit(below.string(), info);
    } else if (entry.kind == Listing::Kind::file && examine(below, skip_unreadable, info)) {
      visit(below.string(), info);
    }
  }
}

// Visits a path of the input, which need not exist. Returns whether it is a folder.
bool visit_path(const InputOptions& input, const std::string& path, Which which, const VisitFile& visit) {
  if (which != Which::there_now && input.listing)
    if (const std::optional<Listing::Folder> root = input.listing->root(path)) {
      visit_listed(*input.listing, *root, path, input.skip_unreadable, which, visit);
      return true;
    }
  struct stat info {};
  const bool there = retry_on_eintr([&] { return stat(path.c_str(), &info); }) == 0;
  if (!there && errno != ENOENT && !input.skip_unreadable) throw_read_error(path, "stat", errno);
  if (there && S_ISDIR(info.st_mode)) {
    visit_files(path, input.skip_unreadable, which, visit);
    return true;
  }
  visit(path, info);
  return false;
}

bool later(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

std::optional<std::string> last_changed(const InputOptions& input, Which which, const timespec& since,
                                        bool known_to_differ) {
  std::optional<std::string> changed;
  timespec latest{};
  for (const std::string& path : input.paths) {
    if (path == "-") continue;
    visit_path(input, path, which, [&](const std::string& name, const struct stat& info) {
      if (!later(info.st_ctim, latest)) return;
      latest = info.st_ctim;
      changed = name;
    });
  }
  return known_to_differ || !later(since, latest) ? changed : std::nullopt;
}

}  // namespace

std::string input_identity(const InputOptions& input) {
  std::string text;
  for (const std::string& path : input.paths) {
    if (path == "-") {
      text += "input -\n";
      continue;
    }
    std::vector<std::string> lines;
    std::uint64_t bytes = 0;
    const bool folder = visit_path(input, path, Which::all, [&](const std::string& name, const struct stat& info) {
      bytes += static_cast<std::uint64_t>(info.st_size);
      lines.push_back(line_of(name, info));
    });
    if (!folder) {
      text += "input " + lines.front() + "\n";
      continue;
    }
    std::sort(lines.begin(), lines.end());
    std::uint64_t sum = 0;
    for (const std::string& line : lines) sum = checksum(fmt::format("{} {}", sum, line));
    text += fmt::format("input {}\tfiles {} bytes {} sum {}\n", path, lines.size(), bytes, sum);
  }
  return text;
}

std::optional<std::string> changed_since(const InputOptions& input, const timespec& since, bool known_to_differ) {
  return last_changed(input, Which::there_now, since, known_to_differ);
}

InputWatch::InputWatch(const InputOptions& input) : input_(input) {
  // Only times that the kernel assigned to files can be compared with each other, so this takes the time from a new
  // file.
  const int fd = memfd_create("refrain-clock", MFD_CLOEXEC);
  struct stat info {};
  if (fd < 0 || fstat(fd, &info) != 0) throw_read_error("the time", "fstat", errno);
  close(fd);
  begun_ = info.st_mtim;
  ++begun_.tv_nsec;  // a file may have been written before, in the same tick of that clock
}

void InputWatch::check(bool known_to_differ) const {
  const std::optional<std::string> changed = last_changed(input_, Which::listed_now, begun_, known_to_differ);
  if (!changed && !known_to_differ) return;
  throw Error(Errc::bad_input, fmt::format("{}: changed while it was being read; run again once it is stable",
                                           changed ? *changed : "the input"));
}

}  // namespace refrain::verbs::run
