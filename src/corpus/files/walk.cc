#include "corpus/files/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <system_error>
#include <utility>

#include "base/files/aside_name.h"
#include "base/files/file.h"
#include "base/files/path.h"
#include "base/files/uninterrupted.h"
#include "base/threads.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// Null, with errno set, where it cannot be opened.
Folder open_folder(const char* path) {
  const int fd = uninterrupted([&] { return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (fd < 0) return nullptr;
  DIR* folder = fdopendir(fd);
  if (folder == nullptr) close(fd);
  return Folder(folder);
}

enum class Kind { file, folder, link, special };

Kind kind_of(int folder, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG:
      return Kind::file;
    case DT_DIR:
      return Kind::folder;
    case DT_LNK:
      return Kind::link;
    case DT_UNKNOWN:
      break;
    default:
      return Kind::special;
  }
  struct stat info {};
  if (uninterrupted([&] { return fstatat(folder, entry.d_name, &info, AT_SYMLINK_NOFOLLOW); }) != 0)
    return Kind::file;  // reading it will tell
  if (S_ISDIR(info.st_mode)) return Kind::folder;
  if (S_ISLNK(info.st_mode)) return Kind::link;
  return S_ISREG(info.st_mode) ? Kind::file : Kind::special;
}

// What those who write tables of many files leave beside them: marks, summaries, the log of a stream, and what a job
// that was not finished had written.
bool is_marker(std::string_view name) {
  return name == "_SUCCESS" || name == "_metadata" || name == "_common_metadata" || name == "_spark_metadata" ||
         name == "_temporary";
}

// What Hugging Face saves beside the Arrow files of a data set, and its copies of intermediate results.
bool is_dataset_note(std::string_view name) {
  return name == "dataset_info.json" || name == "state.json" || name == "dataset_dict.json" ||
         (name.starts_with("cache-") && name.ends_with(".arrow"));
}

constexpr std::size_t kNameBytes = 96;  // what keeping one takes

// Stands for an archive of which there is no more; or none at all, where it is damaged.
class EndedArchive final : public Archive {
 public:
  explicit EndedArchive(std::string damage = {}) : damage_(std::move(damage)) {}
  bool next(std::string& /*name*/) override {
    if (!damage_.empty()) throw Error(Errc::bad_input, damage_);
    return false;
  }
  void read(const std::function<void(std::string_view)>& /*part*/) override {}
  std::uint64_t skipped() const override { return 0; }

 private:
  std::string damage_;
};

bool is_inside(const std::string& path, const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || folder == "/" || path[folder.size()] == '/');
  });
}

// How much of `path` is the longest of the folders that it is in.
std::size_t common_root(const std::string& path, const std::vector<std::string>& folders) {
  std::size_t longest = 0;
  for (const std::string& folder : folders)
    if (is_inside(path, {folder})) longest = std::max(longest, folder.size());
  return longest;
}

// Without links in it; empty where it leads nowhere.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> found(realpath(path.c_str(), nullptr), std::free);
  return found ? found.get() : std::string();
}

}  // namespace

void check_named(const SourceOptions& options) {
  if (options.documents && options.paths.empty()) return;
  if (options.documents)
    throw Error(Errc::invalid_argument,
                fmt::format("{}: named beside documents in memory; give one of them", options.paths.front()));
  if (options.paths.empty())
    throw Error(Errc::invalid_argument, "no input; name a file or a folder, or - for standard input");
  if (std::count(options.paths.begin(), options.paths.end(), "-") > 1)
    throw Error(Errc::invalid_argument, "-: named twice; standard input can be read only once");
  const std::vector<std::string>& known = options.known_unreadable;
  for (const std::string& path : options.paths) {
    if (path == "-" || std::binary_search(known.begin(), known.end(), path)) continue;
    try {
      struct stat info {};
      bool readable = uninterrupted([&] { return stat(path.c_str(), &info); }) == 0;
      if (readable && S_ISREG(info.st_mode))
        InputFile{path};
      else if (readable)
        readable = S_ISDIR(info.st_mode) ? open_folder(path.c_str()) != nullptr : access(path.c_str(), R_OK) == 0;
      if (!readable) refuse_read(path, "open", errno);
    } catch (const Error& error) {
      if (error.code() == Errc::io && options.skip_unreadable) continue;  // named when it is its turn
      throw Error(error.code(), fmt::format("{}; check the path and its permissions{}", error.what(),
                                            error.code() == Errc::io ? ", or skip it with --skip-unreadable" : ""));
    }
  }
}

std::uint64_t total_bytes(const SourceOptions& options, const Context& context, MemoryBudget& budget) {
  for (const std::string& path : options.paths) {
    struct stat info {};
    if (path == "-" || stat(path.c_str(), &info) != 0 || (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))) return 0;
  }
  std::uint64_t total = 0;
  Walk walk(options, budget);
  for (Input input; walk.next(input);) {
    throw_if_stopped(context);
    total += input.size;
  }
  return total;
}

Walk::Walk(const SourceOptions& options, MemoryBudget& budget, const Context* context)
    : options_(options),
      budget_(budget),
      context_(context),
      entries_(budget, "the listing of a folder"),
      names_(budget, "the names in a folder"),
      archived_bytes_(budget.reserve(0, "the names in an archive")) {
  if (context != nullptr) temp_ = std::make_shared<TempSpace>(*context);
  for (const std::string& path : options.paths)
    if (path != "-") remember(path);
}

bool Walk::next(Input& input) {
  if (!find_next(input)) return false;
  const std::vector<std::string>& known = options_.known_unreadable;
  if (input.failure.empty() && std::binary_search(known.begin(), known.end(), input.path))
    input.failure = "was unreadable before";
  if (input.format == Format::tsv) input.delimiter = '\t';
  if (input.format == Format::csv)
    input.delimiter = options_.delimiter != 0 ? options_.delimiter
                      : input.failure.empty() ? sniffed_delimiter(options_, source_of(input, options_), budget_)
                                              : ',';
  return true;
}

bool Walk::find_next(Input& input) {
  while (true) {
    if (archive_) {
      if (next_in_archive(input)) return true;
      archive_.reset();
      continue;
    }
    if (levels_.empty()) {
      if (next_named_ == options_.paths.size()) return false;
      path_ = options_.paths[next_named_++];
      PathKind kind = PathKind::file;
      std::string failure;
      try {
        if (path_ != "-") kind = path_kind(path_);
      } catch (const Error& error) {
        failure = error.what();
        failure.erase(0, path_.size() + 2);  // the path and ": "
      }
      if (kind != PathKind::folder) {
        if (failure.empty() && open_archive_at(path_)) continue;
        const std::uint64_t size = path_ == "-" ? 0 : regular_size(path_);
        input = {.path = path_,
                 .format = recognized_format(options_, budget_, path_, true, path_),
                 .named = true,
                 .size = size,
                 .failure = std::move(failure),
                 .operand = operand()};
        return true;
      }
      if (!enter(true, input)) return true;
      continue;
    }
    Level& level = levels_.back();
    if (level.next == entries_.size()) {
      leave();
      continue;
    }
    const Entry entry = entries_[level.next++];
    path_.resize(level.path_size);
    path_ += names_.data() + entry.name;
    bool folder = entry.folder;
    if (entry.link) {
      struct stat info {};
      if (!follow() || uninterrupted([&] { return stat(path_.c_str(), &info); }) != 0) {
        ++special_skipped_;
        continue;
      }
      folder = S_ISDIR(info.st_mode);
    }
    if (!folder) {
      if (open_archive_at(path_)) continue;
      const std::uint64_t size = regular_size(path_);
      input = {.path = path_,
               .format = recognized_format(options_, budget_, path_, false, path_),
               .named = false,
               .size = size,
               .failure = {},
               .operand = operand()};
      return true;
    }
    if (!entry.link && is_seen()) continue;
    if (!enter(false, input)) return true;
  }
}

// Whether it is an archive to go through. One that cannot be opened is told of when it is its turn as a file.
bool Walk::open_archive_at(const std::string& path) {
  const std::vector<std::string>& known = options_.known_unreadable;
  if (!temp_ || !is_archive_name(path) || regular_size(path) == 0) return false;
  if (std::binary_search(known.begin(), known.end(), path)) return false;
  try {
    archive_ = open_archive(path, budget_, [this] { throw_if_stopped(*context_); });
  } catch (const Error& error) {
    if (error.code() == Errc::io || error.code() == Errc::not_found) return false;
    if (error.code() != Errc::bad_input && error.code() != Errc::unsupported) throw;
    archive_ = std::make_unique<EndedArchive>(error.what());
  }
  archive_path_ = path;
  archived_.clear();
  archived_bytes_.resize(0, {});
  any_in_archive_ = false;
  return archive_ != nullptr;
}

// The next file of archive_, copied; or, where it is damaged or cannot be read on, the archive itself, under a name inside
// it once files of it were handed out.
bool Walk::next_in_archive(Input& input) {
  bool copying = false;
  try {
    for (std::string name; archive_->next(name);) {
      name = writable_name(name);
      if (name.empty()) continue;
      const std::shared_ptr<TempFile> copy(new TempFile(*temp_), [space = temp_](TempFile* file) { delete file; });
      archive_->read([&](std::string_view part) {
        copying = true;
        copy->append(part);
        copying = false;
      });
      any_in_archive_ = true;
      input = {.path = fmt::format("{}/{}", archive_path_, name),
               .named = false,
               .size = copy->size(),
               .failure = {},
               .operand = operand(),
               .source = copy->path(),
               .copy = copy};
      input.format = recognized_format(options_, budget_, input.path, false, input.source);
      return true;
    }
    special_skipped_ += archive_->skipped();
    return false;
  } catch (const Error& error) {
    const bool unreadable = error.code() == Errc::io;
    if (copying || (!unreadable && error.code() != Errc::bad_input && error.code() != Errc::unsupported)) throw;
    const bool named = levels_.empty();
    const std::string file = archive_path_.substr(archive_path_.rfind('/') + 1);  // npos + 1 is 0
    std::string reason = error.what();
    if (unreadable && reason.starts_with(archive_path_ + ": ")) reason.erase(0, archive_path_.size() + 2);
    input = {.path = any_in_archive_ ? fmt::format("{}/{}", archive_path_, file) : archive_path_,
             .format = Format::files,
             .named = named,
             .size = 0,
             .failure = unreadable ? reason : std::string(),
             .operand = operand(),
             .source = archive_path_,
             .copy = nullptr,
             .damage = unreadable ? std::string() : reason};
    archive_ = std::make_unique<EndedArchive>();
    return true;
  }
}

// The name of a file in archive_ as it can be written, once: without empty parts. Empty for what is passed over: hidden,
// or leading out of the archive.
std::string Walk::writable_name(std::string_view name) {
  constexpr std::size_t kMostPart = 200;
  constexpr std::size_t kMostName = 3000;
  std::string clean;
  bool hidden = false;
  bool outside = name.find('\0') != std::string_view::npos;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(part.size() + 1, name.size()));
    if (part.empty() || part == ".") continue;
    outside = outside || part == "..";
    hidden = hidden || part.front() == '.' || is_marker(part) || part == "__MACOSX";
    if (!clean.empty()) {
      // What is a file cannot be a folder too.
      const auto [folder, is_new] = archived_.try_emplace(clean, 0);
      if (folder->second > 0) clean += "~";
      if (is_new)
        archived_bytes_.resize(archived_bytes_.bytes() + clean.size() + kNameBytes, "the names in an archive");
      clean += '/';
    }
    clean += part.substr(0, kMostPart);
  }
  if (hidden || outside || clean.empty() || clean.size() > kMostName) {
    ++(hidden ? hidden_skipped_ : special_skipped_);
    return {};
  }
  archived_bytes_.resize(archived_bytes_.bytes() + clean.size() + kNameBytes, "the names in an archive");
  const auto [met, is_new] = archived_.try_emplace(clean, 1);
  if (is_new) return clean;
  std::string unique;
  do {
    unique = fmt::format("{}~{}", clean, ++met->second + (met->second == 1 ? 1 : 0));
  } while (!archived_.try_emplace(unique, 1).second);
  return unique;
}

// Goes down into path_. Where that cannot be listed, `input` says so.
bool Walk::enter(bool named, Input& input) {
  const Level level{entries_.size(), names_.size(), entries_.size(), 0};
  levels_.push_back(level);
  std::string failure;
  if (!list(failure)) {
    leave();
    const Format format = options_.format == Format::automatic ? Format::files : options_.format;
    input = {.path = path_,
             .format = format,
             .named = named,
             .size = 0,
             .failure = std::move(failure),
             .operand = operand()};
    return false;
  }
  if (path_.back() != '/') path_ += '/';
  levels_.back().path_size = path_.size();
  return true;
}

bool Walk::list(std::string& failure) {
  const std::vector<std::string>& known = options_.known_unreadable;
  if (std::binary_search(known.begin(), known.end(), path_)) {
    failure = "was unreadable before";
    return false;
  }
  const Folder folder = open_folder(path_.c_str());
  if (folder == nullptr) {
    failure = "cannot open the folder: " + system_reason(errno);
    return false;
  }
  while (true) {
    errno = 0;
    const dirent* found = readdir(folder.get());
    if (found == nullptr) break;
    const std::string_view name = found->d_name;
    if (name == "." || name == "..") continue;
    if (name.front() == '.') {
      if (!is_staging_name(name)) ++hidden_skipped_;
      continue;
    }
    if (is_marker(name)) {
      ++hidden_skipped_;
      continue;
    }
    const Kind kind = kind_of(dirfd(folder.get()), *found);
    if (kind == Kind::special) {
      ++special_skipped_;
      continue;
    }
    entries_.push_back({names_.size(), kind == Kind::folder, kind == Kind::link});
    names_.append(std::span(name.data(), name.size() + 1));
  }
  if (errno != 0) {
    failure = "cannot list the folder: " + system_reason(errno);
    return false;
  }
  leave_notes_out();
  std::sort(entries_.begin() + levels_.back().entries_begin, entries_.end(), [this](const Entry& a, const Entry& b) {
    return std::strcmp(names_.data() + a.name, names_.data() + b.name) < 0;
  });
  return true;
}

// Of the folder just listed: what is no part of a data set that Hugging Face has saved or fetched.
void Walk::leave_notes_out() {
  const std::size_t begin = levels_.back().entries_begin;
  const auto any = [&](const auto& is) {
    return std::any_of(entries_.begin() + begin, entries_.end(),
                       [&](const Entry& entry) { return is(std::string_view(names_.data() + entry.name)); });
  };
  const auto named = [&](std::string_view wanted) {
    return any([&](std::string_view name) { return name == wanted; });
  };
  const bool saved =
      named("state.json") && named("dataset_info.json") && any([](auto name) { return name.ends_with(".arrow"); });
  const bool cache = named("blobs") && named("snapshots") && (named("refs") || path_.find("--") != std::string::npos);
  if (!saved && !cache && !named("dataset_dict.json")) return;
  std::size_t kept = begin;
  for (std::size_t i = begin; i < entries_.size(); ++i) {
    const std::string_view name = names_.data() + entries_[i].name;
    const bool store = cache && name == "blobs";
    if (store) stores_.push_back(real_path(path_ + "/blobs"));
    const bool reference = cache && name == "refs";
    if (store || reference || (saved && is_dataset_note(name)) || name == "dataset_dict.json")
      ++hidden_skipped_;
    else
      entries_[kept++] = entries_[i];
  }
  entries_.resize(kept);
}

// Whether the folder path_ is read elsewhere: a link leads to a folder above it.
bool Walk::is_seen() const {
  if (!followed_folder_) return false;
  struct stat info {};
  return uninterrupted([&] { return stat(path_.c_str(), &info); }) == 0 && seen_.contains({info.st_dev, info.st_ino});
}

// An input that was named.
void Walk::remember(const std::string& path) {
  struct stat info {};
  if (uninterrupted([&] { return stat(path.c_str(), &info); }) != 0) return;  // opening it will tell
  seen_.emplace(info.st_dev, info.st_ino);
  if (S_ISDIR(info.st_mode)) roots_.push_back(real_path(path));
}

// Whether what the link path_ leads to is to be read under its name.
bool Walk::follow() {
  struct stat info {};
  const std::string target = real_path(path_);
  if (target.empty() || uninterrupted([&] { return stat(target.c_str(), &info); }) != 0) return false;
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) return false;
  // Inside a folder that is read it is read there, unless something on the way is hidden.
  const bool hidden = target.find("/.", common_root(target, roots_)) != std::string::npos;
  if (is_inside(target, roots_) && !is_inside(target, stores_) && !hidden) return false;
  if (is_inside(real_path(path_.substr(0, path_.rfind('/'))), {target})) return false;  // in a circle
  if (!seen_.emplace(info.st_dev, info.st_ino).second) return false;
  if (S_ISDIR(info.st_mode)) {
    roots_.push_back(target);
    followed_folder_ = true;
  }
  return true;
}

void Walk::leave() {
  entries_.resize(levels_.back().entries_begin);
  names_.resize(levels_.back().names_begin);
  levels_.pop_back();
}

}  // namespace refrain::corpus
