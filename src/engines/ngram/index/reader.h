// Reads an n-gram index (index_format.h) that nobody vouches for.
//
// Opening reads a few pages, whatever the size. All else is checked when it is read: what is damaged, cut off or mixed
// up is Error(corrupt), never an answer. Memory is a few megabytes: mapped pages are dropped behind the reading.
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
  std::uint64_t list = 0;  // where its places begin in places.bin, and how many bytes they take
  std::uint64_t list_bytes = 0;
};

struct GramPlace {
  DocId document = 0;
  std::uint64_t token = 0;
};

// The places of one n-gram, in order.
class PlaceCursor {
 public:
  // False behind the last; only then is all of the list known to be right.
  bool next(GramPlace& place);

 private:
  friend class IndexReader;
  PlaceCursor(store::PageReader& file, const GramEntry& entry, std::uint64_t documents);

  store::PageReader* file_;
  store::PageCursor cursor_;
  std::uint64_t left_;
  std::uint64_t documents_left_;  // that are still to come
  std::uint64_t documents_;       // in the index
  bool first_ = true;
  GramPlace place_;
};

// The n-grams of one block.
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

// Not thread-safe; threads open one each.
class IndexReader {
 public:
  explicit IndexReader(const std::filesystem::path& folder);

  const IndexHead& head() const { return head_; }
  const IndexSizes& sizes() const { return sizes_; }

  // The n-gram with this key (gram_key.h) and text; false where it is not in the index.
  bool find(std::uint64_t key, std::string_view text, GramEntry& entry);

  // All n-grams in key order, from the first after rewind().
  void rewind();
  bool next(GramEntry& entry);

  PlaceCursor places(const GramEntry& entry);

  // Appends the id of a document: what the input gave, or its number.
  void append_id(std::string& out, DocId document);
  std::uint64_t tokens(DocId document);

  // Reads everything and holds all that is known against each other: checksums, keys, order, counts, places. `read` is
  // called now and then with the bytes that were read since, which add up to bytes().
  void check(const std::function<void(std::uint64_t)>& read);
  std::uint64_t bytes() const { return sizes_.grams_bytes + sizes_.places_bytes + sizes_.documents_bytes; }

 private:
  // Some documents, decoded.
  struct DocumentBlock {
    std::uint64_t number = ~std::uint64_t{0};  // of the block
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
