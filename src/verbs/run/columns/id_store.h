// The ids of all documents, in memory. Only ids from the input are stored; an ordinal that serves as id takes no
// space.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/source/reader.h"
#include "refrain/text.h"

namespace refrain::verbs::run {

// One thread at a time fills it, in input order; then many may read it.
class IdStore {
 public:
  explicit IdStore(MemoryBudget& budget) : bytes_(budget, "the ids"), ends_(budget, "the ids") {}

  void add(const corpus::BatchIds& ids, DocId first);

  // Appends the id, escaped as in a TSV row.
  void append_escaped_id(std::string& out, DocId document) const;
  // The memory that the ids take.
  std::size_t bytes() const { return bytes_.size() + ends_.size() * sizeof(std::uint32_t); }
  // The id, unescaped.
  std::string id(DocId document) const;

 private:
  // The ids of one batch: either ordinals, or strings, where ends_[base + i] is the end of id i, counted from
  // bytes_[begin].
  struct Segment {
    DocId first;
    bool ordinals;
    std::size_t begin;
    std::size_t base;
  };
  std::vector<Segment> segments_;  // consecutive batches of ordinals share one
  Array<char> bytes_;
  Array<std::uint32_t> ends_;
};

}  // namespace refrain::verbs::run
