// With verify: decides which documents with the same fingerprint are compared with each other.
//
// Texts with equal fingerprints need not be similar, and texts that are not similar to the first document may be
// similar to each other. All documents are compared with the first one. Copies of a text are also compared with the
// first copy, and the first copy of each text with those of the first few texts, which represent the fingerprint
// when it is joined with others. The number of comparisons is linear; pairs that are connected by then need not be
// compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "refrain/text.h"

namespace refrain::verbs::near {

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

}  // namespace refrain::verbs::near
