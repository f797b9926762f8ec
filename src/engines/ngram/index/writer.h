// Writes an n-gram index (index/format.h) in one pass: all documents, then all n-grams.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engines/ngram/index/format.h"
#include "engines/ngram/index/gram_rows.h"
#include "refrain/text.h"
#include "store/block_tree.h"
#include "store/page_file.h"

namespace refrain::ngram {

// Streams to three files. Takes a few hundred KB of memory, and twice the longest text. Calls, n-grams and places
// that come out of order throw std::logic_error. Not thread-safe.
class IndexWriter {
 public:
  // Creates the files kGramsName, kPlacesName and kDocumentsName in `folder`, which must exist. n must be from 1 to
  // kMaxNgramTokens, and m at least 1.
  IndexWriter(const std::filesystem::path& folder, const IndexHead& head);

  // Adds the next document in input order, even if it has no tokens or could not be read. All documents come before
  // the first n-gram. An id that is just the document's number is given as nullopt. A document has fewer than 2^63
  // tokens.
  void add_document(std::optional<std::string_view> id, std::uint64_t tokens);

  // Begins the next n-gram. N-grams come in ascending order of keys; those with equal keys, in ascending order of
  // texts.
  void begin_gram(std::uint64_t key, std::string_view text);
  // Adds the n-gram's next place. Places come in ascending order, and there are at least m.
  void add_place(DocId document, std::uint64_t token);
  void end_gram();
  // Adds the rows [first, last) of `rows` at once. It does not check the order of texts with equal keys, nor that
  // of places.
  void add_rows(const GramRows& rows, std::size_t first, std::size_t last);

  // `grams` is the number of all n-grams of the text, including those that are not in the index. Syncs and closes
  // the files.
  IndexSizes finish(std::uint64_t grams);

 private:
  void end_documents();
  void end_document_block();
  void begin_row(std::uint64_t key, std::string_view text, std::uint64_t list_begin);
  void end_rows(std::uint64_t count);
  void end_gram_block();

  IndexHead head_;
  store::PageWriter grams_;
  store::PageWriter places_;
  store::PageWriter documents_;
  store::BlockTreeWriter gram_tree_;
  store::BlockTreeWriter document_tree_;
  store::PageFileId documents_id_;
  IndexSizes sizes_;
  bool documents_done_ = false;

  // The open block of documents.
  std::string document_block_;
  std::string last_id_;

  // The open block of n-grams.
  std::string block_;
  std::uint64_t block_key_ = 0;
  std::uint64_t block_rows_ = 0;

  // The open n-gram, or the last one.
  bool open_ = false;
  std::uint64_t key_ = 0;
  std::string text_;
  std::uint64_t list_begin_ = 0;
  PlaceList list_;
};

}  // namespace refrain::ngram
