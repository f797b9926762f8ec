// The distinct fingerprints of a run, the documents that have them, and which of these are compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/text.h"

namespace refrain::verbs::near {

struct Entry {
  std::uint64_t hash;
  DocId document;
  friend auto operator<=>(const Entry&, const Entry&) = default;
};
struct HashOfEntry {
  std::uint64_t operator()(const Entry& entry) const { return entry.hash; }
};

// Documents with equal fingerprints form one node, represented by its first document.
struct Nodes {
  explicit Nodes(MemoryBudget& budget)
      : hashes(budget, "the distinct fingerprints"),
        firsts(budget, "the distinct fingerprints"),
        members(budget, "the documents by fingerprint"),
        begins(budget, "the documents by fingerprint"),
        others(budget, "the documents by fingerprint") {}
  Array<std::uint64_t> hashes;  // ascending
  Array<DocId> firsts;
  // Only with all pairs: the documents of node n are members[begins[n], begins[n + 1]).
  Array<DocId> members;
  Array<std::uint64_t> begins;
  // Only with verify: the documents, besides the first, that represent a fingerprint; ascending.
  Array<Entry> others;

  std::span<const Entry> others_of(std::uint64_t hash) const {
    const auto found = std::equal_range(others.begin(), others.end(), Entry{hash, 0},
                                        [](const Entry& a, const Entry& b) { return a.hash < b.hash; });
    return {found.first, found.second};
  }
  std::size_t find(std::uint64_t hash) const {
    return static_cast<std::size_t>(std::lower_bound(hashes.begin(), hashes.end(), hash) - hashes.begin());
  }
};

// With verify: decides which documents with the same fingerprint are compared with each other.
//
// Texts with equal fingerprints need not be similar, and texts that are not similar to the first document may be
// similar to each other. All documents are compared with the first one. Copies of a text are also compared with the
// first copy, and the first copy of each text with those of the first few texts, which represent the fingerprint
// when it is joined with others. The number of comparisons is linear; pairs that are connected by then need not be
// compared.
//
// Not thread-safe.
class Variants {
 public:
  void start() {
    texts_.clear();
    heads_.clear();
  }

  // Calls pair(earlier) for each document that this one is to be compared with, beginning with the first of all.
  // Documents come in order.
  template <class Pair>
  void add(DocId document, std::uint64_t text, Pair pair) {
    const auto known = texts_.find(text);
    if (known != texts_.end()) {
      pair(heads_.front());
      if (known->second != heads_.front()) pair(known->second);
      return;
    }
    for (const DocId head : heads_) pair(head);
    if (heads_.size() < kMostHeads) heads_.push_back(document);
    if (texts_.size() < kMostTexts) texts_.emplace(text, document);
  }

  // The first documents of the first few texts.
  std::span<const DocId> heads() const { return heads_; }

 private:
  static constexpr std::size_t kMostHeads = 4;
  static constexpr std::size_t kMostTexts = 4096;  // texts whose copies are recognized

  std::unordered_map<std::uint64_t, DocId> texts_;  // first document of each text, by the text's hash
  std::vector<DocId> heads_;
};

// Moves the lists, which begin at begins[p] and have sizes[p] elements, together to the front. Returns the total
// number of elements.
template <class T>
std::size_t close_gaps(Array<T>& list, const std::vector<std::size_t>& begins, const std::vector<std::size_t>& sizes) {
  std::size_t end = 0;
  for (std::size_t p = 0; p < sizes.size(); ++p) {
    if (end != begins[p]) std::copy_n(list.data() + begins[p], sizes[p], list.data() + end);
    end += sizes[p];
  }
  return end;
}

}  // namespace refrain::verbs::near
