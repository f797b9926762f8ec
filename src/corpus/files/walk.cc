#include "corpus/files/walk.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <utility>

#include "base/files/file.h"
#include "base/files/path.h"
#include "base/files/temp.h"
#include "base/threads.h"
#include "refrain/error.h"

namespace refrain::corpus {

namespace {

// Files that Spark and Hadoop leave beside those of a table: markers, summaries, the log of a stream, and the partial
// output of unfinished jobs.
bool is_marker(std::string_view name) {
  return name == "_SUCCESS" || name == "_metadata" || name == "_common_metadata" || name == "_spark_metadata" ||
         name == "_temporary";
}

// Files that Hugging Face saves beside the Arrow files of a dataset, and its cached intermediate results.
bool is_dataset_metadata(std::string_view name) {
  return name == "dataset_info.json" || name == "state.json" || name == "dataset_dict.json" ||
         (name.starts_with("cache-") && name.ends_with(".arrow"));
}

// The groups of skipped files and the reasons for skipping them.
constexpr SkipTotal kHidden = &ReadReport::hidden_skipped;
constexpr SkipTotal kSpecial = &ReadReport::special_skipped;
constexpr std::string_view kJobFileReason = "written by Spark or Hadoop beside the data";
constexpr std::string_view kMacFileReason = "written by macOS beside the data";
constexpr std::string_view kDatasetFileReason = "metadata of a Hugging Face dataset";
constexpr std::string_view kNotRegular = "not a regular file";
constexpr std::string_view kDangling = "its target does not exist";

// Replaces an archive that has no more files, or one that is damaged from the start.
class EndedArchive final : public Archive {
 public:
  explicit EndedArchive(std::string damage = {}) : damage_(std::move(damage)) {}
  bool next(std::string& /*name*/) override {
    if (!damage_.empty()) throw Error(Errc::bad_input, damage_);
    return false;
  }
  std::string read(const std::function<void(std::string_view)>& /*part*/) override { return {}; }

 private:
  std::string damage_;
};

bool is_inside(const std::string& path, const std::vector<std::string>& folders) {
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    return path.starts_with(folder) && (path.size() == folder.size() || folder == "/" || path[folder.size()] == '/');
  });
}

// The length of the longest of `folders` that contains `path`.
std::size_t common_root(const std::string& path, const std::vector<std::string>& folders) {
  std::size_t longest = 0;
  for (const std::string& folder : folders)
    if (is_inside(path, {folder})) longest = std::max(longest, folder.size());
  return longest;
}

// The path with all links resolved; empty if it leads nowhere.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> found(realpath(path.c_str(), nullptr), std::free);
  return found ? found.get() : std::string();
}

}  // namespace

Walk::Walk(const SourceOptions& options, MemoryBudget& budget, const Context* context, OnSkipped on_skipped)
    : options_(options),
      budget_(budget),
      context_(context),
      on_skipped_(std::move(on_skipped)),
      listed_(budget),
      archived_(budget) {
  if (context != nullptr) temp_ = std::make_shared<TempSpace>(*context);
  for (const std::string& path : options.paths)
    if (path != "-") remember(path);
}

bool Walk::next(Input& input) {
  do {
    if (!find_next(input)) return false;
  } while (options_.copy_of && !use_copy(input));
  if (input.format == nullptr)
    input.format = &recognized_format(options_, budget_, input.path, input.named, source_of(input, options_));
  const std::vector<std::string>& known = options_.known_unreadable;
  if (input.failure.empty() && std::binary_search(known.begin(), known.end(), input.path))
    input.failure = "was unreadable before";
  input.delimiter = input.format->delimiter;
  if (input.delimiter == ',' && options_.delimiter != 0)
    input.delimiter = options_.delimiter;
  else if (input.delimiter == ',' && input.failure.empty())
    input.delimiter = sniffed_delimiter(options_, source_of(input, options_), budget_);
  return true;
}

// Makes the copy of the input its source; false if there is no copy. Failures and damaged files have no copy and need
// none.
bool Walk::use_copy(Input& input) const {
  if (!input.failure.empty() || !input.damage.empty()) return true;
  input.source = options_.copy_of(input);
  input.copy = nullptr;
  input.size = regular_size(input.source);
  return path_kind(input.source) == PathKind::file;
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
        const std::uint64_t size = path_ == "-" ? 0 : regular_size(path_);
        if (failure.empty() && open_archive_at(path_, size)) continue;
        input = {.path = path_, .named = true, .size = size, .failure = std::move(failure), .operand = operand()};
        return true;
      }
      if (!enter(options_.listing ? options_.listing->root(path_) : std::nullopt, true, input)) return true;
      continue;
    }
    Level& level = levels_.back();
    if (level.next == level.folder.end) {
      leave();
      continue;
    }
    const Listing::Entry entry = (*level.listing)[level.next++];
    const std::string_view name = level.listing->name(entry);
    path_.resize(level.path_size);
    path_ += name;
    if (skips(level, entry.kind, name)) continue;
    const bool link = entry.kind == Listing::Kind::link;
    bool folder = entry.kind == Listing::Kind::folder;
    if (link) {
      const std::string reason = follow(folder);
      if (!reason.empty()) {
        skip(kSpecial, path_, reason == kDangling ? "dangling link" : "link", reason);
        continue;
      }
    }
    if (!folder) {
      const std::uint64_t size = entry.size != 0 ? entry.size : regular_size(path_);
      if (open_archive_at(path_, size)) continue;
      input = {.path = path_, .size = size, .operand = operand()};
      return true;
    }
    if (!link && is_seen()) {
      skip(kSpecial, path_, "folder", "already read, through a link to it");
      continue;
    }
    if (!enter(level.listing->folder(entry), false, input)) return true;
  }
}

// Whether `path` is an archive to traverse. One that cannot be opened is reported when it is read as a file.
bool Walk::open_archive_at(const std::string& path, std::uint64_t size) {
  const std::vector<std::string>& known = options_.known_unreadable;
  if (!temp_ || !is_archive_name(path) || size == 0) return false;
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
  any_in_archive_ = false;
  return archive_ != nullptr;
}

// The next file of archive_, copied to a temporary file. If the archive is damaged or cannot be read further, the
// archive itself; in the latter case under a name inside the archive if files of it were already returned.
bool Walk::next_in_archive(Input& input) {
  bool copying = false;
  try {
    for (std::string name; archive_->next(name);) {
      if (archive_->kind() != Archive::Kind::file) {
        const bool link = archive_->kind() == Archive::Kind::link;
        skip(kSpecial, fmt::format("{}/{}", archive_path_, name.c_str()), link ? "link" : "special file",
             link ? "links in archives are not followed" : "not a regular file");
        continue;
      }
      std::string fault = ArchiveNames::fault(name);
      name = fault.empty() ? writable_name(name) : ArchiveNames::shortened(name);
      if (name.empty()) continue;
      const std::shared_ptr<TempFile> copy(new TempFile(*temp_), [space = temp_](TempFile* file) { delete file; });
      if (fault.empty())
        fault = archive_->read([&](std::string_view part) {
          copying = true;
          if (!options_.copy_of) copy->append(part);
          copying = false;
        });
      any_in_archive_ = true;
      input = {.path = fmt::format("{}/{}", archive_path_, name),
               .format = fault.empty() ? nullptr : &format_row(options_, Format::files),
               .size = fault.empty() ? copy->size() : 0,
               .operand = operand(),
               .source = copy->path(),
               .copy = copy,
               .damage = std::move(fault)};
      return true;
    }
    return false;
  } catch (const Error& error) {
    const bool unreadable = error.code() == Errc::io;
    if (copying || (!unreadable && error.code() != Errc::bad_input && error.code() != Errc::unsupported)) throw;
    const bool named = levels_.empty();
    const std::string file = archive_path_.substr(archive_path_.rfind('/') + 1);  // npos + 1 is 0
    std::string reason = error.what();
    if (reason.starts_with(archive_path_ + ": ")) reason.erase(0, archive_path_.size() + 2);
    input = {.path = any_in_archive_ && unreadable ? fmt::format("{}/{}", archive_path_, file) : archive_path_,
             .format = &format_row(options_, Format::files),
             .named = named,
             .failure = unreadable ? reason : std::string(),
             .operand = operand(),
             .damage = unreadable ? std::string() : reason};
    archive_ = std::make_unique<EndedArchive>();
    return true;
  }
}

// The name under which a file of archive_ can be written, without empty parts and different from all others. Empty
// for files that are skipped because they are hidden or their names lead out of the archive.
std::string Walk::writable_name(std::string_view name) {
  const std::string_view given = name;
  std::string clean;
  bool hidden = false;
  bool outside = name.find('\0') != std::string_view::npos;
  while (!name.empty()) {
    const std::string_view part = name.substr(0, name.find('/'));
    name.remove_prefix(std::min(part.size() + 1, name.size()));
    if (part.empty() || part == ".") continue;
    outside = outside || part == "..";
    hidden = hidden || part.front() == '.' || is_marker(part) || part == "__MACOSX";
    if (!clean.empty()) clean += '/';
    clean += part;
  }
  if (hidden || outside || clean.empty()) {
    skip_member(given, hidden && !outside, outside);
    return {};
  }
  return archived_.give(clean);
}

// Descends into path_, which is `folder` of the input's listing if that is set. If the folder cannot be listed, sets
// `input` to the failure and returns false.
bool Walk::enter(std::optional<Listing::Folder> folder, bool named, Input& input) {
  const std::vector<std::string>& known = options_.known_unreadable;
  Level level{.listing = folder ? options_.listing.get() : &listed_};
  std::string reason;
  if (std::binary_search(known.begin(), known.end(), path_)) {
    reason = "was unreadable before";
  } else if (!folder) {
    Listing::Failure failure;
    folder = listed_.append(path_, failure);
    if (!folder) reason = fmt::format("cannot {} the folder: {}", failure.call, system_reason(failure.error));
  }
  if (!reason.empty()) {
    input = {.path = path_,
             .format = &format_row(options_, options_.format),
             .named = named,
             .failure = std::move(reason),
             .operand = operand()};
    return false;
  }
  level.folder = *folder;
  level.next = folder->begin;
  recognize_dataset(level);
  if (path_.back() != '/') path_ += '/';
  level.path_size = path_.size();
  levels_.push_back(level);
  return true;
}

// Recognizes path_ as a dataset that Hugging Face saved or fetched.
void Walk::recognize_dataset(Level& level) {
  const auto any = [&](const auto& is) {
    for (std::size_t i = level.folder.begin; i < level.folder.end; ++i)
      if (is(level.listing->name((*level.listing)[i]))) return true;
    return false;
  };
  const auto named = [&](std::string_view wanted) {
    return any([&](std::string_view name) { return name == wanted; });
  };
  level.saved_dataset =
      named("state.json") && named("dataset_info.json") && any([](auto name) { return name.ends_with(".arrow"); });
  level.cached_dataset =
      named("blobs") && named("snapshots") && (named("refs") || path_.find("--") != std::string::npos);
  if (level.cached_dataset) blob_folders_.push_back(real_path(path_ + "/blobs"));
}

// Whether path_, the entry `name` of a folder, is not read, for a reason other than being a link. Reports it, unless it
// is an output that is being written.
bool Walk::skips(const Level& level, Listing::Kind kind, std::string_view name) const {
  if (is_staging_name(name)) return true;
  const bool folder = kind == Listing::Kind::folder;
  const bool blobs = level.cached_dataset && name == "blobs";
  if (name.front() == '.')
    skip(kHidden, path_, folder ? "hidden folder" : "hidden file", "its name begins with a dot");
  else if (is_marker(name))
    skip(kHidden, path_, "job file", kJobFileReason);
  else if (kind == Listing::Kind::pipe)
    skip(kSpecial, path_, "named pipe", kNotRegular);
  else if (kind == Listing::Kind::socket)
    skip(kSpecial, path_, "socket", kNotRegular);
  else if (kind == Listing::Kind::device)
    skip(kSpecial, path_, "device", kNotRegular);
  else if (blobs || (level.cached_dataset && name == "refs"))
    skip(kHidden, path_, "cache folder", blobs ? "read through the links in snapshots" : kDatasetFileReason);
  else if ((level.saved_dataset && is_dataset_metadata(name)) || name == "dataset_dict.json")
    skip(kHidden, path_, "dataset file", kDatasetFileReason);
  else
    return false;
  return true;
}

// Whether the folder path_ is already being read because a link leads to it.
bool Walk::is_seen() const {
  if (!followed_folder_) return false;
  struct stat info {};
  return retry_on_eintr([&] { return stat(path_.c_str(), &info); }) == 0 && seen_.contains({info.st_dev, info.st_ino});
}

// Registers a named input, so that links to it are not followed.
void Walk::remember(const std::string& path) {
  struct stat info {};
  if (retry_on_eintr([&] { return stat(path.c_str(), &info); }) != 0) return;  // the error appears when it is opened
  seen_.emplace(info.st_dev, info.st_ino);
  if (S_ISDIR(info.st_mode)) roots_.push_back(real_path(path));
}

// Empty if the target of the link path_ is to be read under the name of the link; `folder` tells whether it is a
// folder. Otherwise the reason why it is not read.
std::string Walk::follow(bool& folder) {
  struct stat info {};
  const std::string target = real_path(path_);
  if (target.empty() || retry_on_eintr([&] { return stat(target.c_str(), &info); }) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return std::string(kDangling);
    return "its target cannot be reached: " + system_reason(errno);
  }
  folder = S_ISDIR(info.st_mode);
  if (!S_ISREG(info.st_mode) && !folder) return "its target is not a regular file";
  // A target inside a folder that is read is read there, unless a part of its path is hidden.
  const bool hidden = target.find("/.", common_root(target, roots_)) != std::string::npos;
  if (is_inside(target, roots_) && !is_inside(target, blob_folders_) && !hidden)
    return "its target is in the input itself";
  if (is_inside(real_path(path_.substr(0, path_.rfind('/'))), {target})) return "it leads to a folder that contains it";
  if (!seen_.emplace(info.st_dev, info.st_ino).second) return "its target was already reached by another path";
  if (folder) {
    roots_.push_back(target);
    followed_folder_ = true;
  }
  return {};
}

void Walk::skip(SkipTotal total, std::string path, std::string_view kind, std::string_view reason) const {
  if (on_skipped_) on_skipped_(total, {std::move(path), std::string(kind), std::string(reason)});
}

// Reports a file in archive_ whose name prevents reading it.
void Walk::skip_member(std::string_view name, bool hidden, bool outside) const {
  const std::string path = fmt::format("{}/{}", archive_path_, name.substr(0, name.find('\0')));
  if (name.starts_with("./")) name.remove_prefix(2);
  if (!hidden)
    skip(kSpecial, path, "unsafe name", outside ? "its name leads out of the archive" : "it has no name");
  else if (name.starts_with('.') || name.find("/.") != std::string_view::npos)
    skip(kHidden, path, "hidden file", "a part of its path begins with a dot");
  else
    skip(kHidden, path, "job file", name.find("__MACOSX") != std::string_view::npos ? kMacFileReason : kJobFileReason);
}

void Walk::leave() {
  const Level& level = levels_.back();
  if (level.listing == &listed_) listed_.remove(level.folder);
  levels_.pop_back();
}

}  // namespace refrain::corpus
