// Reads the texts of a library's documents from the files they are in. A text that has changed counts as missing.
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
#include "refrain/error.h"
#include "refrain/input.h"
#include "verbs/known/file_texts.h"

namespace refrain::verbs::known {

// Returns the library's folder: that of a run, or `known` itself. Throws Error(not_found) if the run left no
// library.
std::filesystem::path library_folder(const std::filesystem::path& known);

// Describe as JSON how the files of an origin are read, and parse that description.
std::string origin_input(const InputOptions& input);
struct OriginInput {
  std::filesystem::path root;  // the folder that relative paths start from
  InputOptions options;        // without paths
};
// Throws Error(corrupt) if the description is damaged.
OriginInput parse_origin_input(const std::string& json);

// Returns the text of a document that has a place in its file, or nothing if it is no longer there. Adds the number
// of bytes read to `bytes`.
std::optional<std::string> text_at_place(library::Reader& reader, const library::KnownDocument& known,
                                         MemoryBudget& budget, std::uint64_t& bytes);

// A text that can only be found by reading a file from its beginning.
struct WantedText {
  std::string path;  // path of the file; a relative one starts at the origin's root
  Digest digest;
  bool found = false;
};

// Reads the files of one origin, of any format, and calls found(i, text), one call at a time, for the texts that
// are there. Skips files that are missing or damaged. Returns the number of bytes read.
std::uint64_t find_in_files(std::span<WantedText> sought, const OriginInput& origin, const Context& context,
                            MemoryBudget& budget,
                            const std::function<void(std::size_t i, std::string_view text)>& found);

// Returns the text of one document, wherever it is. `id` is the document's id. Pass `file_texts` when many texts
// are requested; it may be null.
std::optional<std::string> text_of_known(library::Reader& reader, const library::KnownDocument& known,
                                         const std::string& id, FileTexts* file_texts, const Context& context,
                                         MemoryBudget& budget);

// Whether the error concerns a file, rather than the disk.
bool is_of_file(const Error& error);

}  // namespace refrain::verbs::known
