// Features of a document: a hash for every window of `window` consecutive tokens.
//
// For window 1 the feature is the token's hash. Otherwise the hashes t of the window's tokens are combined in a
// polynomial
//   t[0] B^(w-1) + t[1] B^(w-2) + ... + t[w-1]   (mod 2^64)
// which rolls on with one multiplication per token, and is then mixed so that every bit depends on every token. The
// order of tokens matters, and a word that occurs twice does not cancel out. md5 is the exception: it hashes the text
// of the window, its tokens joined by one space.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "refrain/fingerprint.h"
#include "text/tokenizer.h"

namespace refrain::text {

// Words that are dropped before windows are formed. They are compared ignoring ASCII case.
class StopWords {
 public:
  explicit StopWords(const std::vector<std::string>& words);
  bool empty() const { return words_.empty(); }
  bool contains(std::string_view word) const;

 private:
  std::unordered_set<std::string> words_;
};

// The part that all streams with the same options share. Immutable.
struct FeaturePlan {
  explicit FeaturePlan(const FingerprintOptions& options);

  std::unique_ptr<const Tokenizer> tokenizer;
  StopWords stop_words;
  HashKind hash;
  unsigned window;
  std::uint64_t seed;
  std::uint64_t oldest_weight;  // B^w: the weight of the token that leaves the window
};

// Computes the features of one document after another. Holds about 670 KB of buffers. Not thread-safe: use
// one per thread.
class FeatureStream {
 public:
  explicit FeatureStream(const FeaturePlan& plan);

  void start(std::string_view text);
  // Sets `features` to the next features of the document, possibly none. Returns false at the end of the document.
  // Valid until the next call.
  bool next(std::span<const std::uint64_t>& features);
  // The number of tokens so far in this document, without stop words.
  std::uint64_t tokens() const { return tokens_; }

 private:
  std::size_t hash_block();  // hashes the block's tokens into hashes_, except stop words; returns their number
  std::size_t roll(std::size_t count);
  std::size_t hash_texts();

  const FeaturePlan& plan_;
  TokenBlock block_;
  std::string_view text_;
  std::size_t position_ = 0;
  std::uint64_t tokens_ = 0;
  // The hashes of the `window` tokens before this block (zeros before the first), then the block's own: the token
  // that leaves the window is `window` positions back.
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint64_t> features_;
  std::uint64_t rolling_ = 0;
  std::deque<std::string> texts_;  // of the window's tokens; md5 only
};

}  // namespace refrain::text
