// Kernels: columns of text in, keys out. For whoever brings equal keys together by other means than the verbs: the
// shuffle of a cluster, a database's GROUP BY, a sort on a GPU. docs/kernels.md shows how they go together.
//
//   exact copies       digests()            digest.h
//   near duplicates    MinHasher, Bands     here; Fingerprinter (SimHash) in fingerprint.h
//   phrases            NgramKeyer           here
//   substrings         SubstringSampler     here
//   pairs that met     similarities(), hamming_pairs(), components()    pairs.h
//   contamination      ItemSearcher         item_search.h
//
// Keys are what the verbs compute, by the same code: they depend on the text and the options alone, never on the
// machine, the threads, or how a column is cut into batches. A key proposes; compare the texts before you act on it.
//
// The classes are immutable and cheap to copy, and threads may share one. A call over a column runs on context.threads
// threads, stops when context.stop says so, and takes no more than context.memory_bytes (64 MiB at the least) for what
// it holds and returns: Error(over_budget) where that is too little. context.temp_dir and context.progress are not used
// unless a function says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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

// The defaults are those of dedup.
struct MinHashOptions {
  FingerprintOptions windows = {.window = 5};  // windows.seed is also the seed of the lanes
  unsigned lanes = 128;                        // a multiple of 16, at most 1,024
};

// Signatures: `lanes` numbers of 32 bits, of which two texts share about as many, in proportion, as their sets of
// windows are similar (Jaccard). They change with kMinHashVersion and kFingerprintVersion (version.h): store both.
class MinHasher {
 public:
  explicit MinHasher(const MinHashOptions& options = {});
  ~MinHasher();
  MinHasher(const MinHasher&);
  MinHasher& operator=(const MinHasher&);

  unsigned lanes() const;

  // False where the text is too short to judge: it has fewer tokens than a window. All lanes are 2^32 - 1 then.
  bool operator()(std::string_view text, std::uint32_t* signature) const;

  // Text i gives the `lanes()` numbers from signatures[i * lanes()] on; valid[i] is 0 where it is null or too short.
  // Leave those out: their signatures are all alike.
  void batch(const TextColumn& texts, std::uint32_t* signatures, std::uint8_t* valid, const Context& context) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

// The share of lanes in which two signatures of the same options agree: an estimate of the similarity, with a standard
// deviation of at most 0.5 / sqrt(lanes).
double estimated_similarity(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

// LSH banding: a signature cut into bands of `rows` lanes. Texts that agree in a whole band meet.
struct Bands {
  unsigned bands = 0;
  unsigned rows = 0;
  friend bool operator==(const Bands&, const Bands&) = default;
};

// The probability that texts of that similarity meet: 1 - (1 - similarity^rows)^bands.
double meeting_probability(const Bands& bands, double similarity);

// The most rows, and then as many bands as there are lanes for, such that texts as similar as `threshold` meet with
// probability `recall` at least, and of those 0.05 more similar at most a fifth as many miss each other (0.95 promises
// 0.99 there): more rows mean fewer that meet in vain. Error(invalid_argument) where so few lanes cannot promise it.
Bands choose_bands(double threshold, double recall, unsigned lanes);

// The keys of one signature: keys[band] is a hash of the band's lanes. Texts meet where band and key are equal, so group
// by both: two bands may have equal keys by chance.
void band_keys(const Bands& bands, std::span<const std::uint32_t> signature, std::uint32_t* keys);
// Of many signatures, one behind the other: those of signature i begin at keys[i * bands.bands].
void band_keys(const Bands& bands, std::span<const std::uint32_t> signatures, unsigned lanes, std::uint32_t* keys,
               const Context& context);

// ---- Phrases.

// An n-gram of a text: 24 bytes.
struct NgramPlace {
  // 64 bits of its tokens. N-grams with equal keys are most likely equal; their tokens decide.
  std::uint64_t key = 0;
  ByteRange where = {};  // from the first byte of its first token to the last of its last one
  friend bool operator==(const NgramPlace&, const NgramPlace&) = default;
};

// The n-grams of texts. Keys are those of the ngrams verb: they order its index.
class NgramKeyer {
 public:
  // `n` from 1 to kMaxNgramTokens (ngrams.h).
  explicit NgramKeyer(unsigned n = 8, TokenizerKind tokenizer = TokenizerKind::words);
  ~NgramKeyer();
  NgramKeyer(const NgramKeyer&);
  NgramKeyer& operator=(const NgramKeyer&);

  // Entry i is the n-gram that begins with token i. None where there are fewer than n tokens.
  std::vector<NgramPlace> operator()(std::string_view text) const;
  // A null has none.
  ListColumn<NgramPlace> batch(const TextColumn& texts, const Context& context) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

// ---- Substrings.
//
// A *window* is `length` bytes of a text, named by where it begins. Which windows occur twice, wherever they are, is
// found through samples: of the runs of bytes at fixed lengths ("cores") that a window holds, each window chooses one by
// its own bytes alone, and neighbouring windows mostly choose the same one. So
//
//   every window of a text lies in one of its samples, or in a fold;
//   equal windows, of one text or of two, lie in samples with equal cores, at the same distance from the core.
//
// All repeated windows of a corpus are found so:
//   1. Sample every text: one sample for about 25 bytes where the length is 100, for 32 from 128 on. All windows of a
//      fold are repeated, for each equals the one `period` bytes before it: they need not go on.
//   2. Group the samples by core_hash. A group of one holds nothing that is repeated.
//   3. In a group, samples with equal context_hash, windows and core - first hold the same windows: keep one of them,
//      and mark the windows of all as repeated. Compare those that are left with each other by shared_windows(); where
//      they are many, group their windows instead by window_hashes().
//   4. The hashes have only proposed: compare the bytes of what was found with those of the place it equals. Two texts
//      with one hash are a matter of chance and show up here; sample again with another seed.
// A byte is repeated where a window that holds it is.

struct SubstringOptions {
  std::size_t length = 100;  // of a window, 8 to 2^20 bytes
  // How often a window has to occur to be of interest. In text that repeats itself with a short period so many samples
  // are given, and the rest is a fold.
  std::uint64_t min_count = 2;
  std::uint64_t seed = 0;
};

// The windows that begin at [first, first + windows) have chosen the core that begins at `core`.
struct SubstringSample {
  std::uint64_t core_hash = 0;
  std::uint64_t context_hash = 0;  // of all bytes that the windows hold: `windows` - 1 + length from `first` on
  std::uint64_t core = 0;
  std::uint64_t first = 0;  // at most 63 before the core
  std::uint64_t windows = 0;
  friend bool operator==(const SubstringSample&, const SubstringSample&) = default;
};

// The windows that begin at [first, first + windows) each equal the one `period` bytes before it, and min_count in all.
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
  // In the order of the text. A null has none, nor has a text shorter than a window.
  Samples batch(const TextColumn& texts, const Context& context) const;

  // Of the windows of sample `a`, those that equal the window of `b` at the same distance from its core, as a range of
  // where they begin in `text_a`; empty where there are none. The bytes are compared.
  ByteRange shared_windows(std::string_view text_a, const SubstringSample& a, std::string_view text_b,
                           const SubstringSample& b) const;

  // hashes[i] is that of the window that begins at first + i, of all its bytes.
  void window_hashes(std::string_view text, std::uint64_t first, std::uint64_t windows, std::uint64_t* hashes) const;

 private:
  struct [[gnu::visibility("hidden")]] Impl;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace refrain
