// Shared by the stages of an extraction: the layout of the list of tokens, and the records that pass between stages.
//
// The tokens of all documents that are not removed are stored end to end in one list, as 32 bits of hash each
// (TextStore). A token is identified by its position in the list, or by its document and its number in the document.
// A document whose text cannot be read keeps its range of the list, but is otherwise ignored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include "base/array.h"
#include "engines/blot/align.h"
#include "refrain/index.h"
#include "store/shuffle.h"
#include "verbs/run/columns/text_store.h"

namespace refrain::verbs::index {

// Documents are numbered as in the snapshot; removed ones have no tokens here.
struct TokenTable {
  explicit TokenTable(MemoryBudget& budget)
      : begins(budget, "where documents begin"), missing(budget, "which documents are missing") {}
  Array<std::uint64_t> begins;  // positions; one more entry than there are documents
  Array<std::uint8_t> missing;  // 1: the text cannot be read

  std::uint64_t documents() const { return missing.size(); }
  std::uint64_t tokens() const { return begins[begins.size() - 1]; }
  std::uint64_t tokens(std::uint64_t document) const { return begins[document + 1] - begins[document]; }
  std::uint64_t document_at(std::uint64_t position) const {
    return static_cast<std::uint64_t>(std::upper_bound(begins.begin(), begins.end(), position) - begins.begin()) - 1;
  }
  // Counts a document whose text cannot be read, once per document. The report names the first few of them.
  void note_missing(std::uint64_t document, const ChangedDocument& changed, ExtractReport& report) {
    constexpr std::size_t kMostNamed = 20;
    if (std::exchange(missing[document], std::uint8_t{1}) != 0) return;
    ++report.changed_documents;
    if (report.changed.size() < kMostNamed) report.changed.push_back(changed);
  }
};

// Two places may agree if they have equal anchors. A *seed* is a chosen window of `seed` tokens; a *window* is a run
// of the length from which exact agreement is always found. Keys of both depend on the order of tokens, whatever the
// blots do.
enum class AnchorKind : std::uint8_t { seed, window };

struct Anchor {
  std::uint64_t key;  // contains the kind
  std::uint32_t document;
  std::uint32_t token;
  friend bool operator<(const Anchor& x, const Anchor& y) {
    return std::tie(x.document, x.token) < std::tie(y.document, y.token);
  }
};
struct AnchorKey {
  std::uint64_t operator()(const Anchor& anchor) const { return anchor.key; }
};
using AnchorShuffle = store::Shuffle<Anchor, AnchorKey>;

// The lowest bit of an anchor's key is its kind.
constexpr AnchorKind kind_of_key(std::uint64_t key) {
  return (key & 1U) != 0 ? AnchorKind::window : AnchorKind::seed;
}

// A link from an anchor to an equal one that lies earlier.
struct AnchorLink {
  std::uint64_t diagonal;  // twice the distance to the earlier anchor, plus the kind
  std::uint32_t document;
  std::uint32_t token;

  AnchorKind kind() const { return kind_of_key(diagonal); }
  std::uint64_t distance() const { return diagonal >> 1U; }
  friend bool operator<(const AnchorLink& x, const AnchorLink& y) {
    return std::tie(x.diagonal, x.token) < std::tie(y.diagonal, y.token);
  }
};
struct LinkKey {
  std::uint64_t operator()(const AnchorLink& link) const { return link.document; }
};
using LinkShuffle = store::Shuffle<AnchorLink, LinkKey>;

// Two stretches that agree: `a` is the earlier one.
struct PassageMatch {
  std::uint64_t a;  // positions
  std::uint64_t b;
  std::uint32_t a_length;
  std::uint32_t b_length;
  std::uint32_t matches;
  std::uint32_t document;  // of a
  // Ordered by where it begins, the longest first.
  friend bool operator<(const PassageMatch& x, const PassageMatch& y) {
    return std::tie(x.a, y.a_length, x.b, x.b_length, x.matches) <
           std::tie(y.a, x.a_length, y.b, y.b_length, y.matches);
  }
  friend bool operator==(const PassageMatch&, const PassageMatch&) = default;
};
struct MatchKey {
  std::uint64_t operator()(const PassageMatch& match) const { return match.document; }
};
using MatchShuffle = store::Shuffle<PassageMatch, MatchKey>;

// A place of a passage, stored in a file until it is reported. `a` is the part of the passage that it agrees with.
struct PassagePlace {
  std::uint64_t a;
  std::uint64_t b;
  std::uint32_t a_length;
  std::uint32_t b_length;
  std::uint32_t matches;
};

// A passage that was found. Its places are stored in a file.
struct FoundPassage {
  std::uint64_t begin;  // positions, at its earliest place
  std::uint64_t end;
  std::uint64_t documents;
  std::uint64_t places;  // without the earliest
  std::uint64_t offset;  // of its places in the file
  double similarity;
  // Ordered by falling number of documents, then by falling length, then by position.
  friend bool operator<(const FoundPassage& x, const FoundPassage& y) {
    const std::uint64_t length_x = x.end - x.begin;
    const std::uint64_t length_y = y.end - y.begin;
    return std::tie(y.documents, length_y, x.begin) < std::tie(x.documents, length_x, y.begin);
  }
};

// One bit for each token of a document.
class TokenBits {
 public:
  TokenBits(MemoryBudget& budget, const char* what) : words_(budget, what) {}

  // Clears all bits and resizes to `tokens` tokens. Up to 64 bits behind the last one may be read.
  void reset(std::uint64_t tokens) {
    words_.clear();
    words_.resize(tokens / 64 + 2);
    std::fill(words_.begin(), words_.end(), 0);
  }

  std::uint64_t at(std::uint64_t i) const { return words_[i / 64] >> (i % 64) & 1U; }
  void set(std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t i = first; i < last;) {
      const std::uint64_t end = word_end(i, last);
      words_[i / 64] |= mask(i, end);
      i = end;
    }
  }
  // The number of bits that are set in [first, last).
  std::uint64_t count(std::uint64_t first, std::uint64_t last) const {
    std::uint64_t count = 0;
    for (std::uint64_t i = first; i < last;) {
      const std::uint64_t end = word_end(i, last);
      count += static_cast<std::uint64_t>(__builtin_popcountll(words_[i / 64] & mask(i, end)));
      i = end;
    }
    return count;
  }
  // Sets the beginnings of all windows of `span` tokens that lie entirely within a stretch.
  void set_windows(std::uint64_t first, std::uint64_t length, std::uint64_t span) {
    if (length >= span) set(first, first + length - span + 1);
  }

 private:
  static std::uint64_t word_end(std::uint64_t i, std::uint64_t last) { return std::min(last, (i / 64 + 1) * 64); }
  static std::uint64_t mask(std::uint64_t i, std::uint64_t end) {
    return (end - i == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (end - i)) - 1) << (i % 64);
  }
  Array<std::uint64_t> words_;
};

}  // namespace refrain::verbs::index
