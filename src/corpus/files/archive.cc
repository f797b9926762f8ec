#include "corpus/files/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "corpus/formats/recognize.h"

namespace refrain::corpus {

bool is_archive_name(std::string_view path) {
  return has_ending(without_packing(path), ".tar") || has_ending(path, ".tgz") || has_ending(path, ".tbz2") ||
         has_ending(path, ".tbz") || has_ending(path, ".txz") || has_ending(path, ".zip");
}

std::unique_ptr<Archive> open_archive(const std::string& path, MemoryBudget& budget, Pause pause) {
  if (auto zip = open_zip(path, budget, pause)) return zip;
  return open_tar(path, budget, std::move(pause));
}

namespace {

// File systems allow 255 bytes for a part and 4,096 for a path. The output folder and appended numbers need some of
// that.
constexpr std::size_t kMostPartBytes = 200;
constexpr std::size_t kPartEndBytes = 50;  // of the end of a shortened part, whose extension tells the format
constexpr std::size_t kMostNameBytes = 3000;
constexpr std::size_t kMostFolders = 100;
constexpr std::size_t kGivenBytes = 64;  // the memory to remember one name

// The offset of the extension that tells the format, including the extension of the compression.
std::size_t ending_of_file(std::string_view path) {
  const std::size_t name = path.rfind('/') + 1;  // npos + 1 is 0
  const std::size_t dot = without_packing(path).rfind('.');
  return dot == std::string_view::npos || dot <= name ? path.size() : dot;
}

}  // namespace

void ArchiveNames::clear() {
  uses_.clear();
  reservation_.resize(0, kWhat);
}

std::string ArchiveNames::fault(std::string_view name) {
  if (name.size() > kMostNameBytes) return fmt::format("a name of {} bytes, which no file can have", name.size());
  const auto folders = static_cast<std::size_t>(std::count(name.begin(), name.end(), '/'));
  return folders > kMostFolders ? fmt::format("in {} folders, one inside the other; {} are read", folders, kMostFolders)
                                : std::string();
}

std::string ArchiveNames::shortened(std::string_view name) {
  if (name.size() <= kMostPartBytes) return std::string(name);
  return fmt::format("{}~{}", name.substr(0, kMostPartBytes - kPartEndBytes - 1),
                     name.substr(name.size() - kPartEndBytes));
}

std::string ArchiveNames::give(std::string_view name) {
  std::string path;
  for (std::size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/')) {
    path += shortened(name.substr(0, slash));
    while (at(path).files > 0) path += '~';
    at(path).folder = true;
    path += '/';
    name.remove_prefix(slash + 1);
  }
  path += shortened(name);
  NameUse& same = at(path);
  if (!same.folder && same.files == 0) {
    same.files = 1;
    return path;
  }
  same.files = std::max<std::uint32_t>(same.files, 1);
  const std::size_t ending = ending_of_file(path);
  while (true) {
    std::string numbered = fmt::format("{}~{}{}", path.substr(0, ending), ++same.files, path.substr(ending));
    NameUse& other = at(numbered);
    if (other.folder || other.files > 0) continue;
    other.files = 1;
    return numbered;
  }
}

ArchiveNames::NameUse& ArchiveNames::at(std::string_view name) {
  const auto [found, is_new] = uses_.try_emplace(checksum(name));
  if (is_new) reservation_.resize(uses_.size() * kGivenBytes, kWhat);
  return found->second;
}

}  // namespace refrain::corpus
