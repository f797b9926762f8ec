// Stores which documents of a segment were removed, in a file of its own, because a segment never changes.
//
// It is a page file. After magic and version, it has for every removed document its number minus the one before it
// minus 1 (varint; the first number is unchanged). Tail: how many there are (8 bytes).
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "store/segments/folder.h"

namespace refrain::store {

// Returns one bit per document, set if it was removed; empty if none was. Throws Error(corrupt) if the file is a
// different one or damaged.
std::vector<bool> read_removed(const std::filesystem::path& folder, const SegmentKind& kind,
                               const SegmentHead& segment);
// Writes the list of removed documents and updates `segment`. Uses the first free generation, from `generation` on.
void write_removed(const std::filesystem::path& folder, const SegmentKind& kind, const std::vector<bool>& removed,
                   std::uint64_t generation, SegmentHead& segment);

}  // namespace refrain::store
