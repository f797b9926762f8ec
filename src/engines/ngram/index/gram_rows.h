// Prepares n-grams for the index writer, ahead of their turn and on any thread: their rows and lists of places in
// the form in which the index stores them (index/format.h).
//
// The writer only cuts them into blocks. Only the first row of a block has a different form, so most rows are
// copied unchanged, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/text.h"
#include "store/varint.h"

namespace refrain::ngram {

// Returns the length of the longest common prefix in bytes.
std::size_t shared_prefix(std::string_view a, std::string_view b);

// Encodes the list of an n-gram's places, one place at a time.
struct PlaceList {
  std::uint64_t count = 0;
  std::uint64_t documents = 0;
  DocId document = 0;       // of the last place
  std::uint64_t token = 0;  // of the last place

  static constexpr std::size_t kMaxBytes = 2 * store::kMaxVarintBytes;  // the most bytes that a place takes
  bool may_add(DocId in, std::uint64_t at) const {
    return count == 0 || in > document || (in == document && at > token);
  }
  // Writes the next place to `out`, which must have room for kMaxBytes. Returns the end.
  char* add(char* out, DocId in, std::uint64_t at) {
    if (count != 0 && in == document) {
      out = store::put_varint(out, (at - token) << 1U | 1U);
    } else {
      out = store::put_varint(out, (count == 0 ? in : in - document) << 1U);
      out = store::put_varint(out, at);
      ++documents;
    }
    document = in;
    token = at;
    ++count;
    return out;
  }
};

// Writes the numbers that follow the text in a row: the places, the documents, and the bytes of the list of places.
// `out` must have room for three varints. Returns the end.
inline char* put_numbers(char* out, std::uint64_t count, std::uint64_t documents, std::uint64_t list_bytes) {
  return store::put_varint(store::put_varint(store::put_varint(out, count), documents), list_bytes);
}

// Not thread-safe. It keeps its memory for reuse.
class GramRows {
 public:
  void clear();

  // Begins the next n-gram in index order and writes its row. The caller adds its places, at most `places` of them
  // in ascending order, to a PlaceList from the returned pointer on, and then passes the list and its end to
  // end_gram().
  char* begin_gram(std::uint64_t key, std::string_view text, std::size_t places);
  void end_gram(const PlaceList& list, const char* end) { end_gram(list.count, list.documents, list.document, end); }

  std::size_t size() const { return rows_.size(); }
  // The approximate memory that the rows take.
  std::size_t bytes() const { return texts_.size() + bytes_.size() + places_used_; }

  // ---- Used by the writer.

  struct Row {
    std::uint64_t key;
    std::size_t text;     // where its text begins
    std::size_t begin;    // where the row begins
    std::size_t numbers;  // where the numbers behind the text begin
    std::size_t places;   // where its list of places begins
    std::uint64_t count;  // number of places
    DocId last_document;
  };
  const Row& row(std::size_t i) const { return rows_[i]; }
  std::string_view text(std::size_t i) const {
    return std::string_view(texts_).substr(rows_[i].text, text_end(i) - rows_[i].text);
  }
  // Returns the rows [first, last). Each begins with the length of the prefix that its text shares with the one
  // before it; for row 0 that is 0.
  std::string_view rows(std::size_t first, std::size_t last) const {
    return std::string_view(bytes_).substr(rows_[first].begin, row_end(last - 1) - rows_[first].begin);
  }
  std::string_view numbers(std::size_t i) const {
    return std::string_view(bytes_).substr(rows_[i].numbers, row_end(i) - rows_[i].numbers);
  }
  std::string_view places(std::size_t first, std::size_t last) const {
    const std::size_t end = last == rows_.size() ? places_used_ : rows_[last].places;
    return std::string_view(places_).substr(rows_[first].places, end - rows_[first].places);
  }

 private:
  void end_gram(std::uint64_t count, std::uint64_t documents, DocId last_document, const char* end);
  std::size_t text_end(std::size_t i) const { return i + 1 == rows_.size() ? texts_.size() : rows_[i + 1].text; }
  std::size_t row_end(std::size_t i) const { return i + 1 == rows_.size() ? bytes_.size() : rows_[i + 1].begin; }

  std::vector<Row> rows_;
  std::string texts_;   // all texts, not shortened
  std::string bytes_;   // the rows
  std::string places_;  // used up to places_used_
  std::size_t places_used_ = 0;
};

}  // namespace refrain::ngram
