#include "store/segments/removed.h"

#include <string>

#include "store/page_file.h"
#include "store/varint.h"

namespace refrain::store {

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
