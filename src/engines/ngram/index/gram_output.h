// Writes groups of positions to the index. All ways of building an index end with this step.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "engines/ngram/index/writer.h"
#include "refrain/text.h"
#include "store/position_list.h"

namespace refrain::ngram {

// Maps token positions to documents. A position counts the tokens of all documents, in input order.
//
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

// Writes n-grams in index order, with their positions as places. Not thread-safe.
class GramOutput {
 public:
  GramOutput(IndexWriter& writer, const DocumentTable& documents, unsigned m)
      : writer_(writer), documents_(documents), m_(m) {}

  unsigned m() const { return m_; }
  const DocumentTable& documents() const { return documents_; }
  IndexWriter& writer() { return writer_; }

  // for_each(fn) calls fn(position) for each position, in ascending order. There are at least m positions.
  template <class ForEach>
  void write(std::uint64_t key, std::string_view text, ForEach for_each) {
    writer_.begin_gram(key, text);
    for_each([&](std::uint64_t position) {
      const DocumentTable::Place place = documents_.locate(position);
      writer_.add_place(place.document, place.token);
    });
    writer_.end_gram();
  }

 private:
  IndexWriter& writer_;
  const DocumentTable& documents_;
  const unsigned m_;
};

// Collects n-grams with equal keys until all of their positions are known. Nearly always it is a single n-gram, but
// different n-grams may have equal keys.
class KeyGroup {
 public:
  explicit KeyGroup(TempSpace& temp) : temp_(temp) {}

  // Returns the list for the positions of this n-gram, which is valid until flush().
  store::PositionList& positions(std::uint64_t key, std::string_view text);
  bool empty() const { return grams_.empty(); }
  // Writes the n-grams with at least m positions, in index order, and clears the group.
  void flush(GramOutput& output);

 private:
  // Positions of an n-gram that are kept in memory: a megabyte.
  static constexpr std::size_t kMostInMemory = std::size_t{1} << 17U;

  TempSpace& temp_;
  std::map<std::pair<std::uint64_t, std::string>, store::PositionList> grams_;
};

}  // namespace refrain::ngram
