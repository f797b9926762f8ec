// The options that fingerprints were made with, so that fingerprints of different options are never compared. They are
// the name of the last column of a table of fingerprints. Its cells are empty, so every reader of tables finds a header
// and the same number of cells in every row.
//
//   id<TAB>simhash<TAB>refrain fingerprint version=1 tokenizer=words hash=xxh3 window=3 seed=0 tie=0 stop_words=none
//
// Stop words are represented by a digest of their list. Earlier versions wrote no such line.
#pragma once

#include <string>
#include <string_view>

#include "refrain/fingerprint.h"

namespace refrain::verbs::near {

// The name of the column that states the options.
std::string options_column(const FingerprintOptions& options);

// Whether this is the line that earlier versions wrote before the header.
bool is_options_line(std::string_view line);

// The options that a header, or the line of earlier versions, states; empty if it states none.
std::string_view options_in(std::string_view line);

// A file of fingerprints and its options, which are empty if the file does not state them.
struct FileOptions {
  std::string path;
  std::string options;
};
// Throws Error(bad_input), which names both values, if the two differ.
void check_same_options(const FileOptions& stored, const FileOptions& queries);

}  // namespace refrain::verbs::near
