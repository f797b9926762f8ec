// The set of items that a corpus is searched for, as tokens.
//
// Every different token of the set has a number, counted from 1, and is identified by its text, never by a hash
// alone: equal numbers mean equal tokens. A token that does not occur in the set has the number kUnknown.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "engines/ngram/vocabulary.h"
#include "refrain/context.h"
#include "refrain/documents.h"
#include "refrain/input.h"
#include "text/token_hasher.h"

namespace refrain::verbs::dedup {

inline constexpr std::uint32_t kUnknown = 0;

// Immutable after construction; threads may share one.
class ReferenceSet {
 public:
  // Reads the whole input, in its order. Throws Error(over_budget), with the required memory, if it does not fit.
  ReferenceSet(const InputOptions& input, TokenizerKind tokenizer, const Context& context, MemoryBudget& budget);
  // A null counts as an item that could not be read.
  ReferenceSet(const TextColumn& items, TokenizerKind tokenizer, MemoryBudget& budget);

  std::uint32_t size() const { return static_cast<std::uint32_t>(ends_.size()); }
  std::uint64_t tokens() const { return tokens_.size(); }
  std::span<const std::uint32_t> item(std::uint32_t i) const;
  // The first item with the same tokens: `i` itself if there is none before it.
  std::uint32_t first_like(std::uint32_t i) const { return first_like_[i]; }
  // The id from the input, or the ordinal. If ids are given and there are several files of records, which may use
  // the same ids, the file name precedes it: "FILE:ID".
  std::string id(std::uint32_t i) const;
  bool bad(std::uint32_t i) const { return bad_[i] != 0; }  // could not be read
  const ReadReport& read() const { return read_; }
  // The number of the token with this text and hash.
  std::uint32_t number(std::string_view text, std::uint64_t hash) const { return vocabulary_.find(text, hash) + 1; }
  // One more than the greatest number of a token.
  std::size_t numbers() const { return vocabulary_.size() + 1; }

 private:
  struct Batched;
  ReferenceSet(TokenizerKind tokenizer, MemoryBudget& budget);
  void add(const Batched& batch);
  // Adds an item of the file that was added last.
  void add(std::string_view text, bool bad, std::string_view id);
  void find_likes(MemoryBudget& budget);

  text::TokenHasher hasher_;
  ngram::Vocabulary vocabulary_;
  Array<std::uint32_t> tokens_;
  Array<std::uint64_t> ends_;
  Array<std::uint8_t> bad_;
  Array<std::uint32_t> first_like_;
  Array<char> ids_;
  Array<std::uint64_t> id_ends_;
  Array<std::uint32_t> files_;  // by item
  std::vector<std::string> file_names_;
  ReadReport read_;
};

}  // namespace refrain::verbs::dedup
