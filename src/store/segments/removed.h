// Stores which documents of a segment were removed, in a file of its own, because a segment never changes.
//
// It is a page file. After magic and version, it has for every removed document its number minus the one before it
// minus 1 (varint; the first number is unchanged). Tail: how many there are (8 bytes).
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

// Returns one bit per document, set if it was removed. Throws Error(corrupt) if the file is a different one or
// damaged.
std::vector<bool> read_removed(const std::string& path, std::string_view magic, std::uint32_t version,
                               const RemovedFile& file, std::uint64_t documents);
RemovedFile write_removed(const std::string& path, std::string_view magic, std::uint32_t version,
                          const std::vector<bool>& removed);

}  // namespace refrain::store
