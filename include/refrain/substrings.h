// substrings: finds every byte range covered by windows of `length` bytes that occur at least `min_count` times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "refrain/context.h"
#include "refrain/input.h"

namespace [[gnu::visibility("default")]] refrain {

inline constexpr std::size_t kMinSubstringLength = 8;
inline constexpr std::size_t kMaxSubstringLength = std::size_t{1} << 20;

// Units that a range must not split; a range shrinks to fit.
enum class Snap { none, utf8, word, line };

// The part of repeated text that is kept: its first occurrence (all bytes in the earliest of equal windows), or
// nothing.
enum class Keep { first, none };

struct SubstringsOptions {
  InputOptions input = {};
  std::filesystem::path output = {};  // a directory; docs/format.md describes its files
  std::size_t length = 100;
  std::uint64_t min_count = 2;
  Snap snap = Snap::none;  // with `apply`, characters are never split: none then means utf8
  bool groups = false;     // also write passages.jsonl
  bool apply = false;      // also write the documents without repeated ranges
  // Search the remaining text again, and cut that too, until there is nothing left to cut: cutting joins parts of a
  // text that were apart. substring_bytes.tsv and passages.jsonl describe the input, that is, the first pass.
  bool until_clean = false;
  Keep keep = Keep::first;
  // In place of `input`: a file whose lines are the documents, read as one string (windows may cross lines), and a
  // file with their ids, one per line; without the latter, ids are ordinals.
  std::string text_csv = {};
  std::string ids = {};
  bool force = false;  // write into an existing directory
};

struct SubstringsReport {
  ReadReport read;
  std::uint64_t ranges = 0;              // rows of substring_bytes.tsv
  std::uint64_t repeated_bytes = 0;      // bytes in these ranges
  std::uint64_t repeated_documents = 0;  // documents with at least one range
  std::uint64_t removable_bytes = 0;     // bytes that `apply` would remove, in all passes
  // With `until_clean`: the bytes that each pass cut. The last value is 0, unless something was left to cut after the
  // maximum number of passes.
  std::vector<std::uint64_t> pass_bytes;
  std::uint64_t windows = 0;   // windows that occur min_count times or more
  std::uint64_t passages = 0;  // with `groups`
  std::uint64_t places = 0;
  std::uint64_t changed_documents = 0;  // with `apply`
  std::uint64_t removed_bytes = 0;
  std::uint64_t samples = 0;
  std::uint64_t temp_peak_bytes = 0;
  std::vector<StageCost> stages;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;
  unsigned threads = 0;
};

SubstringsReport substrings(const SubstringsOptions& options, const Context& context);

}  // namespace refrain
