// The ids of all documents: those that the input gave, in memory; none where an id is just the ordinal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/source/reader.h"
#include "refrain/text.h"

namespace refrain::verbs::run {

// Filled in input order by one thread at a time; then read by many.
class IdStore {
 public:
  explicit IdStore(MemoryBudget& budget) : bytes_(budget, "the ids"), ends_(budget, "the ids") {}

  void add(const corpus::BatchIds& ids, DocId first);

  // Appends the id, escaped for a row.
  void append_escaped_id(std::string& out, DocId document) const;
  // What the ids take.
  std::size_t bytes() const { return bytes_.size() + ends_.size() * sizeof(std::uint32_t); }
  // The id as it is.
  std::string id(DocId document) const;

 private:
  // The ids of one batch: ordinals, or ends_[base + i] is where id i ends, counted from bytes_[begin].
  struct Segment {
    DocId first;
    bool ordinals;
    std::size_t begin;
    std::size_t base;
  };
  std::vector<Segment> segments_;  // neighbours of ordinals are one
  Array<char> bytes_;
  Array<std::uint32_t> ends_;
};

}  // namespace refrain::verbs::run
