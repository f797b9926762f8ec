// ngrams: every run of n tokens that occurs m times or more, with its places, in an index that can be listed and looked
// up.
//
// An n-gram's text is its tokens' normal forms joined by one space; n-grams do not cross documents. A place is a
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
#include "refrain/stage_cost.h"

namespace [[gnu::visibility("default")]] refrain {

// How an index is built. All give the same bytes. `automatic` is ours, keeps the memory and is linear; the others are
// those of the literature, to compare with: `memory` may take more memory than allowed, `blocked` may be quadratic.
enum class NgramAlgorithm { automatic, memory, disk, hash, spex, spex_log, blocked, location };

// The names above as flags and files spell them ("auto", "spex-log"), in the order of the enum.
std::vector<std::string_view> ngram_algorithm_names();

inline constexpr unsigned kMaxNgramTokens = 10000;

struct NgramsOptions {
  InputOptions input = {};
  std::filesystem::path output = {};  // a folder, the index; see docs/format.md
  bool force = false;                 // an existing folder is written into
  unsigned n = 8;                     // tokens, 1 to kMaxNgramTokens
  unsigned m = 2;                     // the fewest places, 2 or more
  TokenizerKind tokenizer = TokenizerKind::words;
  NgramAlgorithm algorithm = NgramAlgorithm::automatic;
};

struct NgramsReport {
  ReadReport read;
  std::uint64_t documents = 0;  // with their places held by bad records, as read.documents and read.bad_records
  std::uint64_t tokens = 0;
  std::uint64_t grams = 0;    // all n-grams, those that occur fewer than m times too
  std::uint64_t entries = 0;  // distinct n-grams in the index
  std::uint64_t places = 0;   // of those
  NgramAlgorithm algorithm = NgramAlgorithm::automatic;
  std::uint64_t passes = 0;           // over the text, or over the sequence that was made of it
  std::uint64_t file_bytes[3] = {};   // records written to the algorithm's files F1, F2 and F3
  std::uint64_t sequence_bytes = 0;   // of the sequence of tokens, where the algorithm makes one
  std::uint64_t temp_peak_bytes = 0;  // the most temporary disk held at a time
  std::uint64_t grams_bytes = 0;      // of the index's files
  std::uint64_t places_bytes = 0;
  std::uint64_t documents_bytes = 0;
  std::vector<StageCost> stages;
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;  // the ceiling that was kept
  unsigned threads = 0;
};

NgramsReport build_ngrams(const NgramsOptions& options, const Context& context);

// ---- An index, once it is built. A damaged one is Error(corrupt), found before anything wrong is said.

// Where rows of an index go, a piece at a time: a row can be longer than anything that should be held in memory.
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
  std::optional<std::uint64_t> limit = {};  // no more rows than that, the first ones
};

struct NgramsShowReport {
  std::uint64_t entries = 0;
  std::uint64_t rows = 0;
  double seconds = 0;
};

// A header, then a row an n-gram: ngram, count, documents, places as "id:token,id:token", in order of document and
// token.
NgramsShowReport show_ngrams(const NgramsShowOptions& options, const Context& context, const NgramRows& out);

struct NgramsLookupReport {
  std::uint64_t phrases = 0;
  std::uint64_t found = 0;
  std::vector<std::string> missing;  // phrases that are not in the index, as they were given
  double open_seconds = 0;
  double lookup_seconds = 0;  // all phrases, their rows included
};

// The rows, as above, of the phrases that are in the index, in the order of the phrases. A phrase is tokenized as the
// documents were, and has n tokens: Error(invalid_argument) where it has not.
NgramsLookupReport lookup_ngrams(const std::filesystem::path& index, const std::vector<std::string>& phrases,
                                 const Context& context, const NgramRows& out);

struct NgramsStats {
  unsigned n = 0;
  unsigned m = 0;
  TokenizerKind tokenizer = TokenizerKind::words;
  std::uint64_t documents = 0;
  std::uint64_t tokens = 0;
  std::uint64_t grams = 0;
  // All n-grams fall into three: `single`, the occurrences of those that occur fewer than m times; `multi`, the first
  // occurrences of the others, which is how many n-grams the index holds; `repeat`, the further ones.
  std::uint64_t single = 0;
  std::uint64_t multi = 0;
  std::uint64_t repeat = 0;
  std::uint64_t grams_bytes = 0;
  std::uint64_t places_bytes = 0;
  std::uint64_t documents_bytes = 0;
  // How it was built, from its summary.json.
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

// Reads all of the index: checksums, the order of keys and texts, every count, every place. Returns where all is well.
NgramsCheckReport check_ngrams(const std::filesystem::path& index, const Context& context);

}  // namespace refrain
