// Which tokens belong to which document: positions count the tokens of all documents, in input order.
#pragma once

#include <cstdint>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/text.h"

namespace refrain::ngram {

// Filled in input order; once finished, immutable, and threads may share it. 10 to 24 bytes a document.
class DocumentTable {
 public:
  explicit DocumentTable(MemoryBudget& budget);

  void add(std::uint64_t tokens);
  // After the last document: makes locate() quick.
  void finish();

  std::uint64_t size() const { return firsts_.size() - 1; }
  std::uint64_t tokens() const { return firsts_[size()]; }
  // The position of the document's first token, or where that would be.
  std::uint64_t first(DocId document) const { return firsts_[document]; }
  std::uint64_t tokens(DocId document) const { return firsts_[document + 1] - firsts_[document]; }

  struct Place {
    DocId document;
    std::uint64_t token;  // in the document
  };
  // locate(position) will be asked soon: first this, and later, when what it fetches is there, the other.
  void prefetch_hint(std::uint64_t position) const { __builtin_prefetch(&hints_[position >> step_bits_]); }
  void prefetch_first(std::uint64_t position) const { __builtin_prefetch(&firsts_[hints_[position >> step_bits_]]); }
  Place locate(std::uint64_t position) const {
    const std::uint64_t step = position >> step_bits_;
    DocId document = hints_[step];
    DocId after = hints_[step + 1] + 1;  // the document lies before it
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
