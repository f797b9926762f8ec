// ngrams: finds every run of n tokens that occurs at least m times, with its places, and stores them in an index that
// can be listed and searched.
//
// The text of an n-gram is its normalized tokens joined by one space; n-grams do not cross documents. A place is a
// document and a token in it, both counted from 0.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"
#include "refrain/fingerprint.h"
#include "refrain/input.h"

namespace [[gnu::visibility("default")]] refrain {

// How an index is built. All algorithms produce the same bytes. `automatic` is Refrain's own: it stays within the
// memory limit and takes linear time. The others are from the literature, for comparison: `memory` may exceed the
// memory limit, `blocked` may take quadratic time.
enum class NgramAlgorithm { automatic, memory, disk, hash, spex, spex_log, blocked, location };

// The names in flags and files ("auto", "spex-log"), in the order of the enum.
std::vector<std::string_view> ngram_algorithm_names();

inline constexpr unsigned kMaxNgramTokens = 10000;

struct NgramsOptions {
  InputOptions input = {};
  std::filesystem::path output = {};  // a folder, the index; see docs/format.md
  bool force = false;                 // write into an existing folder
  unsigned n = 8;                     // tokens, 1 to kMaxNgramTokens
  unsigned m = 2;                     // minimum number of places, 2 or more
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
  NgramAlgorithm algorithm = NgramAlgorithm::automatic;
};

struct NgramsReport {
  ReadReport read;
  std::uint64_t documents = 0;  // including bad records: read.documents + read.bad_records
  std::uint64_t tokens = 0;
  std::uint64_t grams = 0;    // all n-grams, including those that occur fewer than m times
  std::uint64_t entries = 0;  // distinct n-grams in the index
  std::uint64_t places = 0;   // places of these n-grams
  NgramAlgorithm algorithm = NgramAlgorithm::automatic;
  std::uint64_t passes = 0;           // over the text, or over the sequence made from it
  std::uint64_t file_bytes[3] = {};   // records written to the algorithm's files F1, F2 and F3
  std::uint64_t sequence_bytes = 0;   // size of the sequence of tokens, if the algorithm makes one
  std::uint64_t temp_peak_bytes = 0;  // peak temporary disk
  std::uint64_t grams_bytes = 0;      // sizes of the index's files
  std::uint64_t places_bytes = 0;
  std::uint64_t documents_bytes = 0;
  std::vector<StageCost> stages;
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;  // the limit
  unsigned threads = 0;
};

NgramsReport build_ngrams(const NgramsOptions& options, const Context& context);

// ---- Reading an index. Damage is reported as Error(corrupt) before it can cause a wrong answer.

// Receives rows of an index in pieces, because a row can be too long to hold in memory.
using NgramRows = std::function<void(std::string_view)>;

enum class NgramSort {
  count,   // most places first, then by text
  ngram,   // by the bytes of the text
  length,  // longest text first (in bytes), then by text
};
std::vector<std::string_view> ngram_sort_names();

struct NgramsShowOptions {
  std::filesystem::path index;
  NgramSort sort = NgramSort::count;
  std::optional<std::uint64_t> limit = {};  // the number of rows to show; not set: all
};

struct NgramsShowReport {
  std::uint64_t entries = 0;
  std::uint64_t rows = 0;
  double seconds = 0;
};

// Writes to `out` a header, then one row per n-gram: ngram, count, documents, places as "id:token,id:token", in order
// of document and token.
NgramsShowReport show_ngrams(const NgramsShowOptions& options, const Context& context, const NgramRows& out);

struct NgramsLookupReport {
  std::uint64_t phrases = 0;
  std::uint64_t found = 0;
  std::vector<std::string> missing;  // phrases that are not in the index, as given
  double open_seconds = 0;
  double lookup_seconds = 0;  // all phrases, including their rows
};

// Writes the rows, as above, of the phrases that are in the index, in the order of the phrases. A phrase is tokenized
// like the documents. Throws Error(invalid_argument) if it does not have n tokens.
NgramsLookupReport lookup_ngrams(const std::filesystem::path& index, const std::vector<std::string>& phrases,
                                 const Context& context, const NgramRows& out);

struct NgramsStats {
  unsigned n = 0;
  unsigned m = 0;
  TokenizerKind tokenizer = TokenizerKind::words_nfkc;
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t grams = 0;
  // Every n-gram occurrence is in one of three groups: `single` counts n-grams that occur fewer than m times; `multi`
  // counts the first occurrences of the others, which is the number of n-grams in the index; `repeat` counts their
  // further occurrences.
  std::uint64_t single = 0;
  std::uint64_t multi = 0;
  std::uint64_t repeat = 0;
  std::uint64_t grams_bytes = 0;
  std::uint64_t places_bytes = 0;
  std::uint64_t documents_bytes = 0;
  // How the index was built, from its summary.json.
  std::string algorithm;
  std::uint64_t passes = 0;
  std::uint64_t file_bytes[3] = {};
  std::uint64_t sequence_bytes = 0;
  std::uint64_t temp_peak_bytes = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t threads = 0;
  double seconds = 0;
  std::vector<StageCost> stages;
};

NgramsStats ngrams_stats(const std::filesystem::path& index, const Context& context);

struct NgramsCheckReport {
  std::uint64_t documents = 0;
  std::uint64_t entries = 0;
  std::uint64_t places = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
};

// Verifies the index: checksums, the order of keys and texts, every count, every place. Returns if the index is
// undamaged, and throws Error(corrupt) otherwise.
NgramsCheckReport check_ngrams(const std::filesystem::path& index, const Context& context);

}  // namespace refrain
