// Which documents of a segment were removed, as a file: the segment itself never changes.
//
// A page file. Behind magic and version, for every removed document, its number less the one before it less 1 (varint;
// the first as it is). Tail: how many (8).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "store/page_file.h"

namespace refrain::store {

struct RemovedFile {
  std::uint64_t removed = 0;
  PageFileId id;
};

// One bit a document. Error(corrupt) where the file is another, or damaged.
std::vector<bool> read_removed(const std::string& path, std::string_view magic, std::uint32_t version,
                               const RemovedFile& file, std::uint64_t documents);
RemovedFile write_removed(const std::string& path, std::string_view magic, std::uint32_t version,
                          const std::vector<bool>& removed);

}  // namespace refrain::store
