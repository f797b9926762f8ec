// Seven ways to find repeated n-grams, by their names in the literature (Huston, Moffat, Croft: "Efficient Indexing of
// Repeated n-Grams"), each in the file with its name, over the shuffle: the oracle and the yardstick of the default
// way.
//
// They work on a sequence S of N n-grams, and differ in what they write to files before they know which n-grams repeat:
//   memory    nothing: a dictionary D of all n-grams, in memory
//   disk      F: (s, i) for each n-gram s at each location i, sorted
//   hash      F1: (h, f), hashes of 40 bits with how often they came; F2: those that came m times; F3: (s, i) of those
//   spex      F3 only, after n filters of growing n-grams, each using the one before
//   spex-log  the same with filters for n-grams of 1, 2, 3, 5, 8, ... words
//   blocked   as hash, with 56 bits; F2 is read again for every block of S that fits in memory
//   location  F1: (h, i); F2: locations of hashes that came m times, sorted; F3: (s, i) of those
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
#include "base/files/temp_space.h"
#include "engines/ngram/index/gram_key.h"
#include "engines/ngram/index/gram_output.h"
#include "engines/ngram/literature/sequence.h"
#include "engines/ngram/vocabulary.h"
#include "refrain/context.h"
#include "store/number_layout.h"
#include "store/shuffle.h"

namespace refrain::ngram {

// What every one of them is given.
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

// What it took.
struct RepeatCost {
  std::uint64_t passes = 0;                      // over S
  std::array<std::uint64_t, 3> file_bytes = {};  // records written to F1, F2 and F3; the one file of `disk` is F3
};

RepeatCost memory_based(const RepeatTask& task);
RepeatCost disk_based(const RepeatTask& task);
RepeatCost hash_based(const RepeatTask& task);
RepeatCost spex(const RepeatTask& task);
RepeatCost spex_log(const RepeatTask& task);
RepeatCost sequence_blocked(const RepeatTask& task);
RepeatCost location_based(const RepeatTask& task);

// The n-gram of these words as the index orders and shows it.
std::uint64_t key_of_words(const Vocabulary& vocabulary, std::span<const std::uint32_t> words);
std::string text_of_words(const Vocabulary& vocabulary, std::span<const std::uint32_t> words);

// A file of (s, i), which all of them but `memory` end with.
class GramFile {
 public:
  // `expected`: how many there will be, a guess. `memory_bytes`: what it may take; 0 for nearly all that is left.
  GramFile(const RepeatTask& task, std::uint64_t expected, std::uint64_t memory_bytes = 0);

  // One thread's way in.
  class Writer {
   public:
    explicit Writer(GramFile& file) : writer_(file.rows_.writer()), row_(file.row_bytes_) {}
    void append(const std::uint32_t* words, std::uint64_t position);

   private:
    store::RowShuffle<>::Writer writer_;
    std::vector<std::byte> row_;
  };
  std::vector<Writer> writers(unsigned threads);

  // Steps 5 to 10 of the disk-based way: sorts, and writes n-grams that occur m times or more to the index.
  void coalesce();
  std::uint64_t bytes() const { return rows_.size() * row_bytes_; }

 private:
  const RepeatTask& task_;
  const std::size_t row_bytes_;
  store::RowShuffle<> rows_;
};

// Hashes alone, as F1 of `hash` and `blocked` holds them.
using HashFile = store::Shuffle<std::uint64_t, store::HighBits, store::NumberLayout>;

// Steps 1 to 11 of the hash-based way with `bits` of hash: calls repeated(h) for hashes that came m times or more, in
// order. Adds the pass and F1 to `cost`.
void repeated_hashes(const RepeatTask& task, unsigned bits, RepeatCost& cost,
                     const std::function<void(std::uint64_t hash)>& repeated);

// The last pass of `hash` and both `spex`: F3 has the n-grams for which keep(hash, words) holds.
void keep_and_coalesce(const RepeatTask& task, RepeatCost& cost, std::uint64_t expected,
                       const std::function<bool(std::uint64_t hash, const std::uint32_t* words)>& keep);

}  // namespace refrain::ngram
