// Writes groups of positions to the index. All ways of building an index end with this step.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/files/temp_space.h"
#include "engines/ngram/index/document_table.h"
#include "engines/ngram/index/writer.h"
#include "store/position_list.h"

namespace refrain::ngram {

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
