#include "corpus/files/archive.h"

#include <utility>

#include "base/ascii.h"
#include "corpus/formats/recognize.h"

namespace refrain::corpus {

bool is_archive_name(std::string_view path) {
  const std::string_view plain = without_packing(path);
  const std::size_t dot = plain.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view ending = plain.substr(dot);
  if (same_word(ending, ".tar")) return true;
  if (plain.size() != path.size()) return false;
  for (const std::string_view archive : {".tgz", ".tbz2", ".tbz", ".txz", ".zip"})
    if (same_word(ending, archive)) return true;
  return false;
}

std::unique_ptr<Archive> open_archive(const std::string& path, MemoryBudget& budget, Pause pause) {
  if (auto zip = open_zip(path, budget, pause)) return zip;
  return open_tar(path, budget, std::move(pause));
}

}  // namespace refrain::corpus
