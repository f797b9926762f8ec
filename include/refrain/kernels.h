// Kernels: columns of text in, keys out. They are for callers that bring equal keys together by their own means: the
// shuffle of a cluster, a GROUP BY, a sort on a GPU. docs/kernels.md shows how to use them.
//
//   exact copies       digests()            digest.h
//   near duplicates    MinHasher, Bands     this file; Fingerprinter (SimHash) in fingerprint.h
//   phrases            NgramKeyer           this file
//   substrings         SubstringSampler     this file
//   pairs that met     similarities(), hamming_pairs(), components()    pairs.h
//   contamination      ItemSearcher         item_search.h
//
// The verbs compute the same keys with the same code. Keys depend on the text and the options alone, never on the
// machine, the number of threads, or how a column is cut into batches. Equal keys only propose a match: compare the
// texts before you act on it.
//
// The classes are immutable and cheap to copy; threads may share one. A call over a column uses context.threads
// threads, stops once context.stop is set, and takes at most context.memory_bytes (64 MiB or more) for its buffers
// and its result; it throws Error(over_budget) if that is too little. The rest of the context is ignored unless a
// function says otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"
#include "refrain/digest.h"
#include "refrain/documents.h"
#include "refrain/fingerprint.h"
#include "refrain/list_column.h"
#include "refrain/text.h"

namespace [[gnu::visibility("default")]] refrain {

// ---- Near duplicates: MinHash.

// The defaults are the same as dedup's.
struct MinHashOptions {
  FingerprintOptions windows = {.window = 5};  // windows.seed is also the seed of the lanes
  unsigned lanes = 128;                        // a multiple of 16, at most 1,024
};

// Signatures: `lanes` numbers of 32 bits. The share of lanes in which two texts agree is, on average, the Jaccard
// similarity of their sets of windows. If you store signatures, store kMinHashVersion and kFingerprintVersion
// (version.h) with them: signatures of other versions cannot be compared.
class MinHasher {
 public:
  explicit MinHasher(const MinHashOptions& options = {});
  ~MinHasher();
  MinHasher(const MinHasher&);
  MinHasher& operator=(const MinHasher&);

  unsigned lanes() const;

  // Writes lanes() numbers to `signature`. Returns false if the text is too short to judge, because it has fewer
  // tokens than a window; all lanes are then 2^32 - 1.
  bool operator()(std::string_view text, std::uint32_t* signature) const;

  // The signature of text i begins at signatures[i * lanes()]. valid[i] is 0 if the text is null or too short. Ignore
  // those signatures: they are all alike.
  void batch(const TextColumn& texts, std::uint32_t* signatures, std::uint8_t* valid, const Context& context) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

// The share of lanes in which two signatures, made with the same options, agree. It estimates the similarity, with a
// standard deviation of at most 0.5 / sqrt(lanes).
double estimated_similarity(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

// LSH banding: a signature is cut into `bands` bands of `rows` lanes each. Texts that agree in a whole band meet.
struct Bands {
  unsigned bands = 0;
  unsigned rows = 0;
  friend bool operator==(const Bands&, const Bands&) = default;
};

// The probability that texts of the given similarity meet: 1 - (1 - similarity^rows)^bands.
double meeting_probability(const Bands& bands, double similarity);

// Chooses the largest number of rows, and then as many bands as the lanes allow, such that two conditions hold: texts
// exactly as similar as `threshold` meet with a probability of at least `recall`; and texts that are 0.05 more
// similar fail to meet with a probability of at most (1 - recall) / 5, for example 0.01 for a recall of 0.95. More
// rows mean fewer useless comparisons. Throws Error(invalid_argument) if this number of lanes cannot satisfy the
// conditions.
Bands choose_bands(double threshold, double recall, unsigned lanes);

// Computes the keys of one signature: keys[band] is a hash of the band's lanes. Group by band and key together: keys
// of different bands may be equal by chance.
void band_keys(const Bands& bands, std::span<const std::uint32_t> signature, std::uint32_t* keys);
// The same for many signatures, end to end: the keys of signature i begin at keys[i * bands.bands].
void band_keys(const Bands& bands, std::span<const std::uint32_t> signatures, unsigned lanes, std::uint32_t* keys,
               const Context& context);

// ---- Phrases.

// An n-gram of a text: 24 bytes.
struct NgramPlace {
  // A hash of its tokens. Equal n-grams have equal keys; in rare cases, different n-grams have the same key.
  std::uint64_t key = 0;
  ByteRange where = {};  // from the first byte of its first token to the last of its last one
  friend bool operator==(const NgramPlace&, const NgramPlace&) = default;
};

// The n-grams of texts. Their keys are those of the ngrams verb, by which it orders its index.
class NgramKeyer {
 public:
  // `n` must be from 1 to kMaxNgramTokens (ngrams.h).
  explicit NgramKeyer(unsigned n = 8, TokenizerKind tokenizer = TokenizerKind::words_nfkc);
  ~NgramKeyer();
  NgramKeyer(const NgramKeyer&);
  NgramKeyer& operator=(const NgramKeyer&);

  // Entry i is the n-gram that begins with token i. Empty if the text has fewer than n tokens.
  std::vector<NgramPlace> operator()(std::string_view text) const;
  // The same for a column. A null text has no n-grams.
  ListColumn<NgramPlace> batch(const TextColumn& texts, const Context& context) const;

  // The text of the n-grams that begin with the given tokens, which must be in ascending order, as the ngrams verb
  // shows them: normalized tokens, joined by one space. Throws Error(invalid_argument) for a token where no n-gram
  // begins.
  std::vector<std::string> texts(std::string_view text, std::span<const std::uint64_t> tokens) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

// ---- Substrings.
//
// A *window* is `length` consecutive bytes of a text, identified by the position where it begins. Each window chooses
// one of the shorter runs of bytes inside it, its *core*, by looking at its own bytes only; neighbouring windows
// mostly choose the same core. A *sample* is a core with the windows that chose it. Two facts are guaranteed:
//
//   Every window of a text is in exactly one of its samples or folds. A window in a fold equals one in a sample.
//   If two windows in samples are equal, in one text or in two, their samples have equal cores, and both windows begin
//   equally far before the core.
//
// To find all windows that occur twice or more in a corpus:
//   1. Sample every text. With windows of 100 bytes there is one sample for about every 25 bytes; from 128 bytes on,
//      one for every 32. All windows of a fold are repeated, each by the one `period` bytes before it; they need no
//      further work.
//   2. Group the samples by core_hash. A group of one contains nothing repeated.
//   3. Within a group, samples with equal context_hash, windows and core - first contain the same windows: mark the
//      windows of all of them, and keep one. Compare the ones kept with each other using shared_windows(); if they are
//      many, or if a window has to occur more than twice, group their windows by window_hashes() instead.
//   4. Compare windows that were found by hash alone byte by byte with the place that they equal. If they differ, a
//      hash has collided: start again with another seed.
// A byte is repeated if it lies in a repeated window.

struct SubstringOptions {
  std::size_t length = 100;  // bytes per window, from 8 to 2^20
  // How often a window has to occur to be of interest. A stretch of text with a short period has a few more samples
  // than this; the rest of it is a fold.
  std::uint64_t min_count = 2;
  std::uint64_t seed = 0;
};

// The windows that begin in [first, first + windows) chose the core that begins at `core`.
struct SubstringSample {
  std::uint64_t core_hash = 0;
  std::uint64_t context_hash = 0;  // of all bytes in the windows: `windows` - 1 + length bytes, from `first` on
  std::uint64_t core = 0;
  std::uint64_t first = 0;  // at most 63 bytes before the core
  std::uint64_t windows = 0;
  friend bool operator==(const SubstringSample&, const SubstringSample&) = default;
};

// The windows that begin in [first, first + windows) each equal the one `period` bytes earlier. Counting those in
// samples, each occurs min_count times or more in the text.
struct SubstringFold {
  std::uint64_t first = 0;
  std::uint64_t windows = 0;
  std::uint64_t period = 0;
  friend bool operator==(const SubstringFold&, const SubstringFold&) = default;
};

class SubstringSampler {
 public:
  explicit SubstringSampler(const SubstringOptions& options = {});
  ~SubstringSampler();
  SubstringSampler(const SubstringSampler&);
  SubstringSampler& operator=(const SubstringSampler&);

  struct Samples {
    ListColumn<SubstringSample> samples;
    ListColumn<SubstringFold> folds;
  };
  // Samples and folds are in text order. Nulls, and texts shorter than a window, have none.
  Samples batch(const TextColumn& texts, const Context& context) const;

  // Finds the windows of sample `a` that equal the window of `b` at the same distance from the core. Returns the
  // range in text_a in which they begin, empty if there are none. Compares bytes, not hashes.
  ByteRange shared_windows(std::string_view text_a, const SubstringSample& a, std::string_view text_b,
                           const SubstringSample& b) const;

  // hashes[i] is a hash of all bytes of the window that begins at first + i.
  void window_hashes(std::string_view text, std::uint64_t first, std::uint64_t windows, std::uint64_t* hashes) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace refrain
