#include "corpus/files/archive.h"

#include <utility>

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

}  // namespace refrain::corpus
