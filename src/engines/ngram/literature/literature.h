// Seven algorithms that find repeated n-grams, with their names from the literature (Huston, Moffat, Croft:
// "Efficient Indexing of Repeated n-Grams"), one per source file. They use the shuffle. The default algorithm is
// tested and measured against them.
//
// They work on a sequence S of N n-grams, and differ in what they write to files before they know which n-grams
// repeat:
//   memory    nothing: a dictionary D of all n-grams, in memory
//   disk      F: (s, i) for each n-gram s at each location i, sorted
//   hash      F1: (h, f), hashes of 40 bits and their frequencies; F2: those that occur m times; F3: their (s, i)
//   spex      F3 only, after n filters for n-grams of growing length, each of which uses the one before
//   spex-log  the same, with filters for n-grams of 1, 2, 3, 5, 8, ... words
//   blocked   like hash, with 56 bits; F2 is read again for every block of S that fits in memory
//   location  F1: (h, i); F2: locations of the hashes that occur m times, sorted; F3: their (s, i)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "engines/ngram/index/gram_key.h"
#include "engines/ngram/index/gram_output.h"
#include "engines/ngram/literature/sequence.h"
#include "engines/ngram/vocabulary.h"
#include "refrain/context.h"
#include "store/shuffle.h"
#include "store/shuffle_layout.h"

namespace refrain::ngram {

// The input of each algorithm.
struct RepeatTask {
  const Context& context;
  MemoryBudget& budget;
  TempSpace& temp;
  const Sequence& sequence;  // S
  const Vocabulary& vocabulary;
  std::uint64_t grams;  // N
  unsigned n;
  unsigned m;
  GramOutput& output;
};

// The cost of a run.
struct RepeatCost {
  std::uint64_t passes = 0;                      // over S
  std::array<std::uint64_t, 3> file_bytes = {};  // bytes of the records in F1, F2 and F3; the one file of `disk` is F3
};

RepeatCost memory_based(const RepeatTask& task);
RepeatCost disk_based(const RepeatTask& task);
RepeatCost hash_based(const RepeatTask& task);
RepeatCost spex(const RepeatTask& task);
RepeatCost spex_log(const RepeatTask& task);
RepeatCost sequence_blocked(const RepeatTask& task);
RepeatCost location_based(const RepeatTask& task);

// Return the key and the text of the n-gram with these words, as the index orders and shows it.
std::uint64_t key_of_words(const Vocabulary& vocabulary, std::span<const std::uint32_t> words);
std::string text_of_words(const Vocabulary& vocabulary, std::span<const std::uint32_t> words);

// The file of (s, i), with which every algorithm except `memory` ends.
class GramFile {
 public:
  // `expected` is an estimate of the number of rows. `memory_bytes` limits its memory; 0: nearly all that is left.
  GramFile(const RepeatTask& task, std::uint64_t expected, std::uint64_t memory_bytes = 0);

  // Each thread needs a writer of its own.
  class Writer {
   public:
    explicit Writer(GramFile& file) : writer_(file.rows_.writer()), row_(file.row_bytes_) {}
    void append(const std::uint32_t* words, std::uint64_t position);

   private:
    store::RowShuffle<>::Writer writer_;
    std::vector<std::byte> row_;
  };
  std::vector<Writer> writers(unsigned threads);

  // Steps 5 to 10 of the disk-based algorithm: sorts the rows and writes the n-grams that occur at least m times to
  // the index.
  void coalesce();
  std::uint64_t bytes() const { return rows_.size() * row_bytes_; }

 private:
  const RepeatTask& task_;
  const std::size_t row_bytes_;
  store::RowShuffle<> rows_;
};

// Only hashes, as in the file F1 of `hash` and `blocked`.
using HashFile = store::Shuffle<std::uint64_t, store::HighBits, store::NumberLayout>;

// Steps 1 to 11 of the hash-based algorithm with hashes of `bits` bits: calls repeated(h), in ascending order, for
// the hashes that occur at least m times. Adds the pass and the size of F1 to `cost`.
void repeated_hashes(const RepeatTask& task, unsigned bits, RepeatCost& cost,
                     const std::function<void(std::uint64_t hash)>& repeated);

// The last pass of `hash` and of both `spex` algorithms: F3 gets the n-grams for which keep(hash, words) returns
// true.
void keep_and_coalesce(const RepeatTask& task, RepeatCost& cost, std::uint64_t expected,
                       const std::function<bool(std::uint64_t hash, const std::uint32_t* words)>& keep);

}  // namespace refrain::ngram
