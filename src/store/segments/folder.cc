#include "store/segments/folder.h"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <utility>

#include "base/files/file.h"
#include "base/files/path.h"
#include "refrain/error.h"
#include "store/page_file.h"
#include "store/varint.h"

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

// Whether a file begins with `magic`, is empty, or begins with zeros: a killed writer may have left it empty, and
// after a power failure its first sector may be zeros.
bool begins_with(const fs::path& path, std::string_view magic) {
  constexpr std::uint64_t kSectorBytes = 512;
  if (is_link(path)) return false;
  const std::string beginning = read_file_part(path, 0, kSectorBytes);
  return beginning.starts_with(magic) || beginning.find_first_not_of('\0') == std::string::npos;
}

void remove_segment(const fs::path& folder, const SegmentKind& kind) {
  for (const std::string& name : list_folder(folder)) {
    const std::string_view magic = kind.magic_of(name);
    if (!magic.empty() && begins_with(folder / name, magic)) remove_checked(folder / name);
  }
  if (list_folder(folder).empty()) remove_checked(folder);
}

std::string lock_path(const fs::path& folder) {
  std::string path = (folder / kLockName).string();
  if (!is_taken(path)) OutputFile(path).close_unsynced();
  return path;
}

}  // namespace

std::string a_kind(std::string_view name) {
  return fmt::format("{} {}", name == "index" ? "an" : "a", name);
}

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

std::string read_manifest_text(const fs::path& folder, const SegmentKind& kind) {
  try {
    return read_file(folder / kManifestName);
  } catch (const Error& error) {
    if (error.code() == Errc::io) throw;
    if (error.code() == Errc::unsupported) throw Error(Errc::corrupt, error.what());
    if (is_taken(folder / kLockName))
      throw Error(Errc::corrupt, fmt::format("{}: manifest missing; the {} cannot be read",
                                             (folder / kManifestName).string(), kind.name));
    throw Error(Errc::not_found, fmt::format("{}: not {}; {}", folder.string(), a_kind(kind.name), kind.if_missing));
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
      if (is_segment_number(name) && !is_link(path) && path_kind(path) == PathKind::folder)
        remove_segment(path, kind);
      else if (is_removed_name(name) && begins_with(path, kind.removed_magic))
        remove_checked(path);
    } catch (const std::exception&) {
      // Files that cannot be examined or removed stay; the next writer tries again.
    }
  }
} catch (const std::exception&) {
  // The same applies to the whole folder.
}

LockedFolder::LockedFolder(fs::path folder, const SegmentKind& kind) : folder_(std::move(folder)), kind_(kind) {
  lock_.emplace(lock_path(folder_));
}

LockedFolder::~LockedFolder() {
  if (!in_doubt_ && is_still_committed()) remove_unnamed(folder_, kind_, named_);
}

void LockedFolder::begin(NamedSegments named) {
  in_doubt_ = true;
  committed_ = read_file(folder_ / kManifestName);
  named_ = std::move(named);
  sync_folder(folder_);  // only now may files named by the previous manifest be removed
  in_doubt_ = false;
  remove_unnamed(folder_, kind_, named_);
}

void LockedFolder::commit(std::string manifest, NamedSegments named) {
  sync_folder(folder_);
  const bool is_first = committed_.empty();
  if (!is_first && read_file(folder_ / kManifestName) != committed_)
    throw Error(Errc::busy,
                fmt::format("{}: another process changed it although it was locked; try again, on a file system with "
                            "locks",
                            folder_.string()));
  in_doubt_ = true;
  try {
    write_manifest_text(folder_, manifest);
  } catch (const Error& error) {
    in_doubt_ = is_first || !is_still_committed();
    if (!in_doubt_ || is_first) throw;
    throw Error(error.code(), fmt::format("{}; the change was made, but a power failure may undo it", error.what()));
  }
  committed_ = std::move(manifest);
  named_ = std::move(named);
  in_doubt_ = false;
}

// Whether the manifest is certain to be the one that was committed last.
bool LockedFolder::is_still_committed() const noexcept try {
  return read_file(folder_ / kManifestName) == committed_;
} catch (const std::exception&) {
  return false;
}

std::vector<bool> read_removed(const std::filesystem::path& folder, const SegmentKind& kind,
                               const SegmentHead& segment) {
  if (segment.removed == 0) return {};
  PageReader reader(removed_path(folder, segment.number, segment.removed_generation).string(), kind.removed_magic,
                    kind.format_version);
  if (reader.id() != segment.removed_file) reader.corrupt("not the file named in the manifest");
  std::vector<bool> removed(segment.documents);
  PageCursor cursor(reader, PageReader::kBegin, reader.size());
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < segment.removed; ++i) {
    const std::uint64_t gap = cursor.varint();
    if (gap >= segment.documents - next) reader.corrupt("names a document that does not exist");
    removed[next + gap] = true;
    next += gap + 1;
  }
  return removed;
}

void write_removed(const std::filesystem::path& folder, const SegmentKind& kind, const std::vector<bool>& removed,
                   std::uint64_t generation, SegmentHead& segment) {
  segment.removed_generation = free_generation(folder, segment.number, generation);
  PageWriter file(removed_path(folder, segment.number, segment.removed_generation).string(), kind.removed_magic,
                  kind.format_version);
  std::uint64_t count = 0;
  std::string row;
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < removed.size(); ++i) {
    if (!removed[i]) continue;
    row.clear();
    append_varint(row, i - next);
    file.write(row);
    next = i + 1;
    ++count;
  }
  segment.removed_file = file.finish({reinterpret_cast<const char*>(&count), sizeof count});
  segment.removed = count;
}

}  // namespace refrain::store
