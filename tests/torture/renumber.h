// Sets the counters of an index or a library to values that are about to pass a power of two, as after years of
// commits.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

namespace months {

// Sets the generation and the number of the next segment in a manifest.
inline void renumber(const std::string& manifest, const std::string& generation, const std::string& next_segment) {
  std::ifstream in(manifest);
  std::string lines;
  for (std::string line; std::getline(in, line) && !line.starts_with("checksum ");) {
    if (line.starts_with("generation ")) line = "generation " + generation;
    if (line.starts_with("next-segment ")) line = "next-segment " + next_segment;
    lines += line + "\n";
  }
  if (lines.empty()) throw std::runtime_error(manifest + ": no manifest");
  char checksum[32];
  std::snprintf(checksum, sizeof checksum, "checksum %016" PRIx64 "\n", XXH3_64bits(lines.data(), lines.size()));
  std::ofstream(manifest) << lines << checksum;
}

}  // namespace months
