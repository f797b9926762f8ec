// Maps token positions to documents. A position counts the tokens of all documents, in input order.
#pragma once

#include <cstdint>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/text.h"

namespace refrain::ngram {

// Filled in input order. After finish() it is immutable, and threads may share it. It takes 10 to 24 bytes per
// document.
class DocumentTable {
 public:
  explicit DocumentTable(MemoryBudget& budget);

  void add(std::uint64_t tokens);
  // Call after the last document, and before locate().
  void finish();

  std::uint64_t size() const { return firsts_.size() - 1; }
  std::uint64_t tokens() const { return firsts_[size()]; }
  // Returns the position of the document's first token, or where it would be if the document has no tokens.
  std::uint64_t first(DocId document) const { return firsts_[document]; }
  std::uint64_t tokens(DocId document) const { return firsts_[document + 1] - firsts_[document]; }

  struct Place {
    DocId document;
    std::uint64_t token;  // index in the document
  };
  // Announce a call of locate(position). Call prefetch_hint() first, and prefetch_first() once that data has
  // arrived.
  void prefetch_hint(std::uint64_t position) const { __builtin_prefetch(&hints_[position >> step_bits_]); }
  void prefetch_first(std::uint64_t position) const { __builtin_prefetch(&firsts_[hints_[position >> step_bits_]]); }
  Place locate(std::uint64_t position) const {
    const std::uint64_t step = position >> step_bits_;
    DocId document = hints_[step];
    DocId after = hints_[step + 1] + 1;  // the document is before this one
    while (after - document > 1) {
      const DocId middle = document + (after - document) / 2;
      (firsts_[middle] <= position ? document : after) = middle;
    }
    return {document, position - firsts_[document]};
  }

 private:
  MemoryBudget& budget_;
  Array<std::uint64_t> firsts_;  // one more than there are documents
  Array<std::uint64_t> hints_;   // hints_[i]: the document that holds position i << step_bits_
  unsigned step_bits_ = 0;
};

}  // namespace refrain::ngram
