// The first line of a file of fingerprints: what they were made with, so that nobody compares those of different options.
//
//   # refrain fingerprint version=1 tokenizer=words hash=xxh3 window=3 seed=0 tie=0 stop_words=none
//
// Stop words are known by a digest of their list. Earlier versions wrote no such line.
#pragma once

#include <string>
#include <string_view>

#include "refrain/fingerprint.h"

namespace refrain::verbs::near {

// With its line break.
std::string made_with(const FingerprintOptions& options);

bool is_made_with(std::string_view line);

// A file of fingerprints and its first line; an empty line where it has none.
struct MadeWith {
  std::string path;
  std::string line;
};
// Error(bad_input) with both values where the two differ.
void check_made_alike(const MadeWith& stored, const MadeWith& queries);

}  // namespace refrain::verbs::near
