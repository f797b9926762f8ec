// With verify: which documents of one fingerprint are compared with each other.
//
// Equal fingerprints do not make texts similar, and those that are not similar to the first document may be to one
// another. All are compared with the first. Copies of a text are compared with the first of them too, and the first of
// each text with those of the first few texts, which stand for the fingerprint wherever it meets another. That is linear,
// however many there are; a pair that is connected by then need not be compared.
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

  // Calls pair(earlier) for the documents that this one is to be compared with, the first of all first. Documents come
  // in order.
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
  static constexpr std::size_t kMostTexts = 4096;  // whose copies are known

  std::unordered_map<std::uint64_t, DocId> texts_;  // by a hash: the first document
  std::vector<DocId> heads_;
};

}  // namespace refrain::verbs::near
