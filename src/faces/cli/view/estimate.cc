#include "faces/cli/view/estimate.h"

#include <fmt/format.h>

#include "faces/cli/table/numbers.h"
#include "faces/cli/view/text.h"

namespace refrain::cli {

std::vector<std::string> estimate_remarks(const DedupEstimate& estimate, std::string_view folder) {
  const std::string where = printable(folder, false);
  const std::string memory = size_of(estimate.memory_bytes);
  const std::string free = size_of(estimate.disk_free_bytes);
  if (!estimate.known)
    return {fmt::format("input size unknown; needs up to {} of memory, and more disk in {} than the text ({} free)\n",
                        memory, where, free)};
  std::vector<std::string> lines;
  std::string line = fmt::format("{} in {}", size_of(estimate.bytes), count_of(estimate.files, "file"));
  if (estimate.packed) line += fmt::format(", about {} uncompressed", size_of(estimate.unpacked_bytes));
  line += fmt::format("; needs about {} of memory and {} of disk in {} ({} free)", memory, size_of(estimate.disk_bytes),
                      where, free);
  if (estimate.temp_bytes != 0)
    line += fmt::format(", and about {} for temporary files ({} free)", size_of(estimate.temp_bytes),
                        size_of(estimate.temp_free_bytes));
  lines.push_back(line + "\n");
  if (!estimate.disk_suffices())
    lines.push_back("warning: there may not be enough disk space; free some, or write elsewhere (-o, --temp-dir)\n");
  return lines;
}

}  // namespace refrain::cli
