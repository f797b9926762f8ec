#include "engines/ngram/index/writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "engines/ngram/index/gram_key.h"

namespace refrain::ngram {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

template <class Number>
void append_number(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_tree(std::string& out, const store::BlockTreeRoot& tree) {
  for (const std::uint64_t number : {tree.begin, tree.end, tree.root, tree.depth}) append_number(out, number);
}

std::string head_bytes(const IndexHead& head) {
  std::string out;
  append_number(out, std::uint32_t{head.n});
  append_number(out, std::uint32_t{head.m});
  append_number(out, kGramHashVersion);
  append_number(out, kGramKeyVersion);
  std::string name(tokenizer_names()[static_cast<std::size_t>(head.tokenizer)]);
  name.resize(kTokenizerNameBytes);
  return out + name;
}

// Begins a page file with `head`, so that a tree can be started after it.
store::PageWriter begin_file(const std::filesystem::path& folder, const char* name, const char* magic,
                             std::string_view head = {}) {
  const bool own_thread = std::string_view(name) != kDocumentsName;  // documents.bin has few pages
  store::PageWriter file((folder / name).string(), magic, kNgramFormatVersion, own_thread);
  file.write(head);
  return file;
}

}  // namespace

IndexWriter::IndexWriter(const std::filesystem::path& folder, const IndexHead& head)
    : head_(head),
      grams_(begin_file(folder, kGramsName, kGramsMagic, head_bytes(head))),
      places_(begin_file(folder, kPlacesName, kPlacesMagic)),
      documents_(begin_file(folder, kDocumentsName, kDocumentsMagic)),
      gram_tree_(grams_),
      document_tree_(documents_) {
  require(head.n >= 1 && head.n <= kMaxNgramTokens && head.m >= 1, "n-gram index: n or m is out of range");
}

void IndexWriter::add_document(std::optional<std::string_view> id, std::uint64_t tokens) {
  require(!documents_done_, "n-gram index: a document after an n-gram");
  store::append_varint(document_block_, tokens << 1U | (id ? 1U : 0U));
  if (id) {
    const std::size_t shared = shared_prefix(last_id_, *id);
    store::append_varint(document_block_, shared);
    store::append_varint(document_block_, id->size() - shared);
    document_block_ += id->substr(shared);
    last_id_ = *id;
    ++sizes_.named;
  }
  sizes_.tokens += tokens;
  if (++sizes_.documents % kBlockDocuments == 0) end_document_block();
}

void IndexWriter::end_document_block() {
  const std::uint64_t rows = (sizes_.documents - 1) % kBlockDocuments + 1;
  document_tree_.add(sizes_.documents - rows, rows, document_block_);
  document_block_.clear();
  last_id_.clear();
}

void IndexWriter::end_documents() {
  if (documents_done_) return;
  documents_done_ = true;
  if (sizes_.documents % kBlockDocuments != 0) end_document_block();
  std::string tail;
  append_tree(tail, document_tree_.finish());
  append_number(tail, sizes_.named);
  documents_id_ = documents_.finish(tail);
}

void IndexWriter::begin_gram(std::uint64_t key, std::string_view text) {
  begin_row(key, text, places_.position());
  list_begin_ = places_.position();
  list_ = {};
  open_ = true;
}

void IndexWriter::add_place(DocId document, std::uint64_t token) {
  require(open_ && document < sizes_.documents && list_.may_add(document, token), "n-gram index: places out of order");
  char place[PlaceList::kMaxBytes];
  places_.write({place, static_cast<std::size_t>(list_.add(place, document, token) - place)});
}

void IndexWriter::end_gram() {
  require(open_ && list_.count >= head_.m, "n-gram index: an n-gram with too few places");
  open_ = false;
  char numbers[3 * store::kMaxVarintBytes];
  block_.append(numbers, put_numbers(numbers, list_.count, list_.documents, places_.position() - list_begin_));
  sizes_.places += list_.count;
  end_rows(1);
}

void IndexWriter::add_rows(const GramRows& rows, std::size_t first, std::size_t last) {
  const std::uint64_t lists_begin = places_.position();
  for (std::size_t i = first; i < last;) {
    const std::size_t begin = i;
    if (i == first || block_rows_ == 0) {
      begin_row(rows.row(i).key, rows.text(i), lists_begin + rows.row(i).places - rows.row(first).places);
      block_.append(rows.numbers(i++));
    } else {
      // Copy unchanged all rows that fit into the block.
      const std::size_t most = std::min<std::size_t>(last - i, kBlockGrams - block_rows_);
      const std::size_t room = kBlockBytes - block_.size();
      while (i < begin + most && (i == begin || rows.rows(begin, i).size() < room)) ++i;
      block_.append(rows.rows(begin, i));
      text_ = rows.text(i - 1);
    }
    for (std::size_t row = begin; row < i; ++row) {
      const GramRows::Row& one = rows.row(row);
      require(row == begin || rows.row(row - 1).key <= one.key, "n-gram index: n-grams out of order");
      require(one.count >= head_.m && one.last_document < sizes_.documents, "n-gram index: wrong places");
      key_ = one.key;
      sizes_.places += one.count;
    }
    end_rows(i - begin);
  }
  if (first != last) places_.write(rows.places(first, last));
}

// Writes a row up to the end of its text; the caller adds the numbers that follow it.
void IndexWriter::begin_row(std::uint64_t key, std::string_view text, std::uint64_t list_begin) {
  end_documents();
  require(!open_, "n-gram index: an n-gram within an n-gram");
  require(sizes_.entries == 0 || key_ < key || (key_ == key && text_ < text), "n-gram index: n-grams out of order");
  char numbers[3 * store::kMaxVarintBytes];
  char* end = numbers;
  std::size_t shared = 0;
  if (block_rows_ == 0) {
    block_key_ = key;
    end = store::put_varint(end, sizes_.entries);
    end = store::put_varint(end, list_begin);
  } else {
    shared = shared_prefix(text_, text);
    end = store::put_varint(end, shared);
  }
  end = store::put_varint(end, text.size() - shared);
  block_.append(numbers, end);
  block_.append(text.substr(shared));
  key_ = key;
  text_ = text;
}

void IndexWriter::end_rows(std::uint64_t count) {
  sizes_.entries += count;
  block_rows_ += count;
  if (block_rows_ == kBlockGrams || block_.size() >= kBlockBytes) end_gram_block();
}

void IndexWriter::end_gram_block() {
  gram_tree_.add(block_key_, block_rows_, block_);
  block_.clear();
  block_rows_ = 0;
}

IndexSizes IndexWriter::finish(std::uint64_t grams) {
  require(!open_, "n-gram index: its last n-gram is open");
  end_documents();
  if (block_rows_ != 0) end_gram_block();
  sizes_.grams = grams;
  const store::PageFileId places_id = places_.finish({});
  std::string tail;
  append_tree(tail, gram_tree_.finish());
  for (const std::uint64_t number : {sizes_.documents, sizes_.tokens, sizes_.grams, sizes_.entries, sizes_.places,
                                     places_id.bytes, places_id.digest, documents_id_.bytes, documents_id_.digest})
    append_number(tail, number);
  sizes_.grams_bytes = grams_.finish(tail).bytes;
  sizes_.places_bytes = places_id.bytes;
  sizes_.documents_bytes = documents_id_.bytes;
  return sizes_;
}

}  // namespace refrain::ngram
