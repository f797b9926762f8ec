#include "store/segments/removed.h"

#include "store/varint.h"

namespace refrain::store {

std::vector<bool> read_removed(const std::string& path, std::string_view magic, std::uint32_t version,
                               const RemovedFile& file, std::uint64_t documents) {
  PageReader reader(path, magic, version);
  if (reader.id() != file.id) reader.corrupt("not the file named in the manifest");
  std::vector<bool> removed(documents);
  PageCursor cursor(reader, PageReader::kBegin, reader.size());
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < file.removed; ++i) {
    const std::uint64_t gap = cursor.varint();
    if (gap >= documents - next) reader.corrupt("names a document that does not exist");
    removed[next + gap] = true;
    next += gap + 1;
  }
  return removed;
}

RemovedFile write_removed(const std::string& path, std::string_view magic, std::uint32_t version,
                          const std::vector<bool>& removed) {
  PageWriter file(path, magic, version);
  RemovedFile written;
  std::string row;
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < removed.size(); ++i) {
    if (!removed[i]) continue;
    row.clear();
    append_varint(row, i - next);
    file.write(row);
    next = i + 1;
    ++written.removed;
  }
  written.id = file.finish({reinterpret_cast<const char*>(&written.removed), sizeof written.removed});
  return written;
}

}  // namespace refrain::store
