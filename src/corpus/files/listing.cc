#include "corpus/files/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <span>

#include "base/files/file.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "refrain/input.h"

namespace refrain::corpus {

namespace {

constexpr std::uint64_t kListingShare = 16;  // of the memory: one part

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using OpenFolder = std::unique_ptr<DIR, CloseFolder>;

// Null, with errno set, if it cannot be opened.
OpenFolder open_folder(const char* path) {
  const int fd = retry_on_eintr([&] { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd < 0) return nullptr;
  DIR* folder = fdopendir(fd);
  if (folder == nullptr) close(fd);
  return OpenFolder(folder);
}

Listing::Kind kind_of_type(unsigned char type) {
  switch (type) {
    case DT_REG:
    case DT_UNKNOWN:  // could not be examined; the error appears when it is read
      return Listing::Kind::file;
    case DT_DIR:
      return Listing::Kind::folder;
    case DT_LNK:
      return Listing::Kind::link;
    case DT_FIFO:
      return Listing::Kind::pipe;
    case DT_SOCK:
      return Listing::Kind::socket;
    default:
      return Listing::Kind::device;
  }
}

// A listing that outlives the budgets of those who use it.
struct SharedListing {
  explicit SharedListing(const Context& context)
      : budget(context),
        others(budget.reserve(budget.available() - budget.available() / kListingShare, "the run")),
        listing(budget) {}

  MemoryBudget budget;
  Reservation others;
  Listing listing;
};

}  // namespace

Listing::Listing(MemoryBudget& budget)
    : entries_(budget, "the listing of a folder"),
      names_(budget, "the names in a folder"),
      folders_(budget, "the listing of folders") {}

std::optional<Listing::Folder> Listing::append(const std::string& path, Failure& failure) {
  const OpenFolder open = open_folder(path.c_str());
  if (open == nullptr) {
    failure = {"open", errno};
    return std::nullopt;
  }
  Folder folder{entries_.size(), entries_.size(), names_.size()};
  while (true) {
    errno = 0;
    const dirent* found = readdir(open.get());
    if (found == nullptr) break;
    const std::string_view name = found->d_name;
    if (name != "." && name != "..") add(dirfd(open.get()), found->d_name, found->d_type);
  }
  if (errno != 0) {
    failure = {"list", errno};
    remove(folder);
    return std::nullopt;
  }
  folder.end = entries_.size();
  std::sort(entries_.begin() + folder.begin, entries_.end(), [this](const Entry& a, const Entry& b) {
    return std::strcmp(names_.data() + a.name, names_.data() + b.name) < 0;
  });
  return folder;
}

void Listing::add(int folder, const char* name, unsigned char type) {
  Entry entry{.name = names_.size()};
  struct stat info {};
  if ((type == DT_REG || type == DT_UNKNOWN) &&
      retry_on_eintr([&] { return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW); }) == 0) {
    type = static_cast<unsigned char>(IFTODT(info.st_mode));
    entry.examined = S_ISREG(info.st_mode);
  }
  if (entry.examined) {
    entry.size = static_cast<std::uint64_t>(info.st_size);
    entry.modified_seconds = info.st_mtim.tv_sec;
    entry.modified_nanoseconds = static_cast<std::uint32_t>(info.st_mtim.tv_nsec);
  }
  entry.kind = kind_of_type(type);
  names_.append(std::span(name, std::strlen(name) + 1));
  entries_.push_back(entry);
}

void Listing::remove(const Folder& folder) {
  entries_.resize(folder.begin);
  names_.resize(folder.names_begin);
}

void Listing::append_root(const std::string& path, const Context& context) {
  if (!roots_.contains(path)) roots_.emplace(path, append_tree(path, context));
}

// Returns the number of the folder; 0 if it cannot be listed.
std::uint64_t Listing::append_tree(const std::string& path, const Context& context) {
  throw_if_stopped(context);
  Failure failure;
  const std::optional<Folder> folder = append(path, failure);
  if (!folder) return 0;  // tried again, and reported, when it is reached
  folders_.push_back(*folder);
  const std::uint64_t number = folders_.size();
  const std::string prefix = path.ends_with('/') ? path : path + '/';
  for (std::size_t i = folder->begin; i < folder->end; ++i) {
    const std::string_view below = name(entries_[i]);
    if (entries_[i].kind != Kind::folder || below.front() == '.') continue;
    const std::uint64_t listed = append_tree(prefix + std::string(below), context);
    entries_[i].size = listed;
  }
  return number;
}

std::optional<Listing::Folder> Listing::root(const std::string& path) const {
  const auto found = roots_.find(path);
  if (found == roots_.end() || found->second == 0) return std::nullopt;
  return folders_[found->second - 1];
}

std::optional<Listing::Folder> Listing::folder(const Entry& entry) const {
  if (entry.kind != Kind::folder || entry.size == 0) return std::nullopt;
  return folders_[entry.size - 1];
}

Reservation reserve_listing(const InputOptions& options, MemoryBudget& budget) {
  return budget.reserve(options.listing ? options.listing->bytes() : 0, "the listing of the input");
}

}  // namespace refrain::corpus

namespace refrain {

std::shared_ptr<const corpus::Listing> list_input(const InputOptions& options, const Context& context) {
  if (options.listing) return options.listing;
  const auto shared = std::make_shared<corpus::SharedListing>(context);
  try {
    for (const std::string& path : options.paths) {
      struct stat info {};
      if (path == "-" || retry_on_eintr([&] { return stat(path.c_str(), &info); }) != 0) continue;
      if (S_ISDIR(info.st_mode)) shared->listing.append_root(path, context);
    }
  } catch (const Error& error) {
    if (error.code() != Errc::over_budget) throw;
    return nullptr;
  }
  return {shared, &shared->listing};
}

}  // namespace refrain
