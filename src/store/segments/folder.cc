#include "store/segments/folder.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "base/files/path.h"
#include "base/files/random_file.h"
#include "refrain/error.h"
#include "store/page_file.h"

namespace refrain::store {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kRemovedSuffix = ".removed";

bool is_segment_number(std::string_view text) {
  return text.size() >= 6 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_removed_name(std::string_view name) {
  if (!name.ends_with(kRemovedSuffix)) return false;
  name.remove_suffix(kRemovedSuffix.size());
  const std::size_t dash = name.find('-');
  return dash != std::string_view::npos && is_segment_number(name.substr(0, dash)) &&
         is_segment_number(name.substr(dash + 1));
}

// Whether a file begins as those do that this was made for: a writer that was killed may have left it empty.
bool begins_with(const fs::path& path, std::string_view magic) {
  if (fs::is_symlink(path)) return false;
  const std::string beginning = read_file_part(path, 0, kMagicBytes);
  return beginning.empty() || beginning == magic;
}

void remove_segment(const fs::path& folder, const SegmentKind& kind) {
  for (const std::string& name : list_folder(folder)) {
    const std::string_view magic = kind.magic_of(name);
    if (!magic.empty() && begins_with(folder / name, magic)) fs::remove(folder / name);
  }
  if (list_folder(folder).empty()) fs::remove(folder);
}

std::string lock_path(const fs::path& folder) {
  std::string path = (folder / kLockName).string();
  if (!is_taken(path)) OutputFile(path).close_unsynced();
  return path;
}

}  // namespace

fs::path segment_path(const fs::path& folder, std::uint64_t segment) {
  return folder / fmt::format("{:06}", segment);
}

fs::path removed_path(const fs::path& folder, std::uint64_t segment, std::uint64_t generation) {
  return folder / fmt::format("{:06}-{:06}{}", segment, generation, kRemovedSuffix);
}

std::uint64_t take_segment_number(const fs::path& folder, std::uint64_t& next) {
  while (is_taken(segment_path(folder, next))) ++next;
  return next++;
}

std::uint64_t free_generation(const fs::path& folder, std::uint64_t segment, std::uint64_t generation) {
  while (is_taken(removed_path(folder, segment, generation))) ++generation;
  return generation;
}

std::optional<std::string> read_manifest_text(const fs::path& folder, std::string_view missing) {
  try {
    return read_file(folder / kManifestName);
  } catch (const Error& error) {
    if (error.code() == Errc::io) throw;
    if (error.code() == Errc::unsupported) throw Error(Errc::corrupt, error.what());
    if (is_taken(folder / kLockName))
      throw Error(Errc::corrupt, fmt::format("{}: {}", (folder / kManifestName).string(), missing));
    return std::nullopt;
  }
}

void write_manifest_text(const fs::path& folder, const std::string& text) {
  AtomicFile file((folder / kManifestName).string());
  file.out().write(text);
  file.commit();
}

void remove_unnamed(const fs::path& folder, const SegmentKind& kind, const NamedSegments& named) noexcept try {
  for (const std::string& name : list_folder(folder)) {
    if (named.contains(name)) continue;
    const fs::path path = folder / name;
    try {
      if (is_segment_number(name) && !fs::is_symlink(path) && path_kind(path) == PathKind::folder)
        remove_segment(path, kind);
      else if (is_removed_name(name) && begins_with(path, kind.removed_magic))
        fs::remove(path);
    } catch (const std::exception&) {
      // What cannot be looked at or removed stays, and the next writer tries again.
    }
  }
} catch (const std::exception&) {
  // The same of the whole folder.
}

LockedFolder::LockedFolder(fs::path folder, const SegmentKind& kind) : folder_(std::move(folder)), kind_(kind) {
  lock_.emplace(lock_path(folder_));
}

LockedFolder::~LockedFolder() {
  if (!in_doubt_) remove_unnamed(folder_, kind_, named_);
}

void LockedFolder::begin(std::string manifest, NamedSegments named) {
  committed_ = std::move(manifest);
  named_ = std::move(named);
  sync_folder(folder_);  // what the manifest before this one named may go only now
  in_doubt_ = false;
  remove_unnamed(folder_, kind_, named_);
}

void LockedFolder::commit(std::string manifest, NamedSegments named) {
  sync_folder(folder_);
  const bool is_first = committed_.empty();
  in_doubt_ = true;
  try {
    write_manifest_text(folder_, manifest);
  } catch (const Error& error) {
    in_doubt_ = is_first || !still_stands();
    if (!in_doubt_ || is_first) throw;
    throw Error(error.code(), fmt::format("{}; the change was made, but a power failure may undo it", error.what()));
  }
  committed_ = std::move(manifest);
  named_ = std::move(named);
  in_doubt_ = false;
}

// Whether the manifest before the one that could not be written is surely still there.
bool LockedFolder::still_stands() const noexcept try {
  return read_file(folder_ / kManifestName) == committed_;
} catch (const std::exception&) {
  return false;
}

}  // namespace refrain::store
