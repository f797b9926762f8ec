// Features of a document: a hash for every window of `window` consecutive tokens.
//
// For window 1 the feature is the token's hash. Otherwise the hashes t of the window's tokens are combined in a
// polynomial
//   t[0] B^(w-1) + t[1] B^(w-2) + ... + t[w-1]   (mod 2^64)
// which rolls on with one multiplication per token, and is then mixed so that every bit depends on every token. The
// order of tokens matters, and a word that occurs twice does not cancel out. md5 is the exception: it hashes the text
// of the window, its tokens joined by one space.
#pragma once

#include <cstddef>
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
  // For the single tokens of what this plan makes windows of. The lowest bit of a hash is 1 if the token has a digit.
  FeaturePlan of_tokens() const;

  std::shared_ptr<const Tokenizer> tokenizer;
  StopWords stop_words;
  HashKind hash;
  unsigned window;
  std::uint64_t seed;
  std::uint64_t oldest_weight;  // B^w: the weight of the token that leaves the window
  bool marks_digits = false;
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

// Windows that are left out when texts are compared, because many texts of one source share them.
//
// A text is compared by the windows that remain, however few they are, because these are its own. If none remain, all
// its windows are compared. Either way the windows depend on the text and its source alone, so the comparison of two
// texts is symmetric.
//
// Immutable; threads may share one.
class LeftOut {
 public:
  explicit LeftOut(std::span<const std::uint64_t> windows);

  bool contains(std::uint64_t window) const {
    std::size_t at = slot_of(window);
    while (table_[at] != window && table_[at] != kNone) at = (at + 1) & mask_;
    return table_[at] == window && window != kNone;
  }

  // The memory that this number of windows takes.
  static std::uint64_t memory_bytes(std::size_t windows);

 private:
  static constexpr std::uint64_t kNone = 0;  // marks an empty slot; a window with this hash is never left out

  std::size_t slot_of(std::uint64_t window) const {
    return static_cast<std::size_t>(window * 0x9E3779B97F4A7C15ULL >> 32U) & mask_;
  }

  std::size_t mask_;
  std::vector<std::uint64_t> table_;
};

// Enumerates the windows by which `text` is compared: calls begin(), then add(windows) for all of them in order, a
// few at a time. If it turns out that none remain, calls both again for all windows of the text. `left_out` may be
// null.
template <class Begin, class Add>
void compared_windows(std::string_view text, const LeftOut* left_out, FeatureStream& stream, Begin begin, Add add) {
  std::span<const std::uint64_t> features;
  if (left_out != nullptr) {
    bool left = false;
    begin();
    for (stream.start(text); stream.next(features);)
      for (std::size_t i = 0, first = 0; i <= features.size(); ++i) {
        if (i < features.size() && !left_out->contains(features[i])) continue;
        if (i != first) {
          add(features.subspan(first, i - first));
          left = true;
        }
        first = i + 1;
      }
    if (left) return;
  }
  begin();
  for (stream.start(text); stream.next(features);) add(features);
}

}  // namespace refrain::text
