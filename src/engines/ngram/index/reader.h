// Reads an n-gram index (index/format.h) without trusting its contents.
//
// Opening reads only a few pages, whatever the size. Everything else is checked when it is read: damaged, truncated
// or mixed-up files lead to Error(corrupt), never to a wrong answer. A reader takes a few megabytes of memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engines/ngram/index/format.h"
#include "refrain/text.h"
#include "store/block_tree.h"
#include "store/page_file.h"

namespace refrain::ngram {

struct GramEntry {
  std::string_view text;  // valid until the next call
  std::uint64_t count = 0;
  std::uint64_t documents = 0;
  std::uint64_t list = 0;  // where the list of its places begins in places.bin, and its length in bytes
  std::uint64_t list_bytes = 0;
};

struct GramPlace {
  DocId document = 0;
  std::uint64_t token = 0;
};

// Iterates over the places of one n-gram, in order.
class PlaceCursor {
 public:
  // Returns false after the last place. Only then is the whole list known to be valid.
  bool next(GramPlace& place);

 private:
  friend class IndexReader;
  PlaceCursor(store::PageReader& file, const GramEntry& entry, std::uint64_t documents);

  store::PageReader* file_;
  store::PageCursor cursor_;
  std::uint64_t left_;
  std::uint64_t documents_left_;  // documents that are still to come
  std::uint64_t documents_;       // in the index
  bool first_ = true;
  GramPlace place_;
};

// Iterates over the n-grams of one block.
class GramBlockReader {
 public:
  explicit GramBlockReader(store::PageReader& file) : file_(file) {}
  void start(const store::BlockTreeReader::Block& block);
  void stop() { left_ = 0, at_ = end_; }
  bool next(GramEntry& entry);
  std::uint64_t before() const { return before_; }  // n-grams before this block

 private:
  std::uint64_t varint();

  store::PageReader& file_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t left_ = 0;
  std::uint64_t before_ = 0;
  std::uint64_t list_ = 0;
  bool first_ = true;
  std::string text_;
};

// Not thread-safe; each thread opens a reader of its own.
class IndexReader {
 public:
  explicit IndexReader(const std::filesystem::path& folder);

  const IndexHead& head() const { return head_; }
  const IndexSizes& sizes() const { return sizes_; }

  // Finds the n-gram with this key (gram_key.h) and text. Returns false if it is not in the index.
  bool find(std::uint64_t key, std::string_view text, GramEntry& entry);

  // Iterate over all n-grams in key order; rewind() goes back to the first.
  void rewind();
  bool next(GramEntry& entry);

  PlaceCursor places(const GramEntry& entry);

  // Appends the id of a document: the id that the input gave it, or its number.
  void append_id(std::string& out, DocId document);
  std::uint64_t tokens(DocId document);

  // Reads everything and checks all parts against each other: checksums, keys, order, counts and places. Calls
  // `read` from time to time with the number of bytes read since the last call; the numbers add up to bytes().
  void check(const std::function<void(std::uint64_t)>& read);
  std::uint64_t bytes() const { return sizes_.grams_bytes + sizes_.places_bytes + sizes_.documents_bytes; }

 private:
  // A decoded block of documents.
  struct DocumentBlock {
    std::uint64_t number = ~std::uint64_t{0};  // number of the block
    std::string ids;
    std::vector<std::uint32_t> id_ends;
    std::vector<bool> named;
    std::vector<std::uint64_t> tokens;
    std::size_t bytes() const { return ids.capacity() + id_ends.capacity() * 4 + tokens.capacity() * 8; }
  };
  const DocumentBlock& document_block(DocId document);
  void decode(const store::BlockTreeReader::Block& block, DocumentBlock& out);
  void check_grams(const std::function<void(std::uint64_t)>& read);
  void check_documents();

  store::PageReader grams_;
  store::PageReader places_;
  store::PageReader documents_;
  IndexHead head_;
  IndexSizes sizes_;
  store::BlockTreeReader scan_;    // for next()
  store::BlockTreeReader search_;  // for find()
  store::BlockTreeReader document_tree_;
  GramBlockReader scanned_;
  GramBlockReader searched_;
  std::uint64_t scanned_rows_ = 0;

  std::vector<std::unique_ptr<DocumentBlock>> cache_;
  std::size_t cached_bytes_ = 0;
};

}  // namespace refrain::ngram
