// The texts of documents that a library holds, read where they lie: whatever is not the text that was kept is not there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "engines/library/reader.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::verbs::known {

// The folder of the library: a run's own, or the one that is named. Error(not_found) for a run that left none.
std::filesystem::path library_folder(const std::filesystem::path& known);

// How the files of an origin are read again: as JSON, and back.
std::string origin_input(const InputOptions& input);
struct OriginInput {
  std::filesystem::path root;  // what relative paths are relative to
  InputOptions options;        // without paths
};
// Error(corrupt) where it is damaged.
OriginInput parse_origin_input(const std::string& json);

// The text of a document that has a place in its file; nothing where it is not there. Adds what was read to `bytes`.
std::optional<std::string> text_at_place(library::Reader& reader, const library::KnownDocument& known,
                                         MemoryBudget& budget, std::uint64_t& bytes);

// A text that can only be found by reading a file from its beginning.
struct SoughtText {
  std::string path;  // of the file; relative ones are relative to the origin's root
  Digest digest;
  bool found = false;
};

// Reads the files of one origin, all formats. Calls found(i, text), one at a time, for those that are there. Files that are
// gone or damaged are passed over. Returns the bytes that were read.
std::uint64_t find_in_files(std::span<SoughtText> sought, const OriginInput& origin, const Context& context,
                            MemoryBudget& budget,
                            const std::function<void(std::size_t i, std::string_view text)>& found);

// The text of one document, wherever it is. `id` is its id.
std::optional<std::string> old_text(library::Reader& reader, const library::KnownDocument& known, const std::string& id,
                                    const Context& context, MemoryBudget& budget);

}  // namespace refrain::verbs::known
