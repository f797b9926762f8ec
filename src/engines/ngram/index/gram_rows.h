// N-grams made ready to be written, ahead of their turn and by any thread: their rows and lists of places as they stand
// in the index (index_format.h).
//
// All that is left to the writer is to cut them into blocks. Only the first row of a block has another form, so most of
// them go there as they are, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/text.h"
#include "store/varint.h"

namespace refrain::ngram {

// How many bytes both begin with.
std::size_t shared_prefix(std::string_view a, std::string_view b);

// The list of an n-gram's places, made one by one.
struct PlaceList {
  std::uint64_t count = 0;
  std::uint64_t documents = 0;
  DocId document = 0;       // of the last place,
  std::uint64_t token = 0;  // and its token

  static constexpr std::size_t kMaxBytes = 2 * store::kMaxVarintBytes;  // that a place takes
  bool may_add(DocId in, std::uint64_t at) const {
    return count == 0 || in > document || (in == document && at > token);
  }
  // Writes the next place to `out`, which has room for kMaxBytes. Returns the end.
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

// What stands behind the text in a row: how many places and documents, and the bytes of the list. `out` has room for
// three varints; returns the end.
inline char* put_numbers(char* out, std::uint64_t count, std::uint64_t documents, std::uint64_t list_bytes) {
  return store::put_varint(store::put_varint(store::put_varint(out, count), documents), list_bytes);
}

// Not thread-safe; keeps its memory from use to use.
class GramRows {
 public:
  void clear();

  // The next n-gram, in index order, with `places` places: writes all but those. They are added to a PlaceList from the
  // pointer on that is returned, rising, which is the caller's word; end_gram() is told where they end.
  char* begin_gram(std::uint64_t key, std::string_view text, std::size_t places);
  void end_gram(const PlaceList& list, const char* end) { end_gram(list.count, list.documents, list.document, end); }

  std::size_t size() const { return rows_.size(); }
  // What they take, roughly.
  std::size_t bytes() const { return texts_.size() + bytes_.size() + places_used_; }

  // ---- For the writer.

  struct Row {
    std::uint64_t key;
    std::size_t text;     // where each begins: its text,
    std::size_t begin;    // the row,
    std::size_t numbers;  // what stands in it behind the text,
    std::size_t places;   // and its list of places
    std::uint64_t count;  // of places
    DocId last_document;
  };
  const Row& row(std::size_t i) const { return rows_[i]; }
  std::string_view text(std::size_t i) const {
    return std::string_view(texts_).substr(rows_[i].text, text_end(i) - rows_[i].text);
  }
  // Rows [first, last), each with what its text shares with the one before it; the first row of all shares nothing.
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
  std::string texts_;   // whole
  std::string bytes_;   // of rows
  std::string places_;  // as far as places_used_
  std::size_t places_used_ = 0;
};

}  // namespace refrain::ngram
