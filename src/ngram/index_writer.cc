#include "ngram/index_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "ngram/gram_key.h"

namespace refrain {

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

std::size_t shared_prefix(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t size = 0;
  for (; size + sizeof(std::uint64_t) <= most; size += sizeof(std::uint64_t)) {
    std::uint64_t of_a = 0;
    std::uint64_t of_b = 0;
    std::memcpy(&of_a, a.data() + size, sizeof of_a);
    std::memcpy(&of_b, b.data() + size, sizeof of_b);
    if (of_a != of_b) return size + static_cast<std::size_t>(std::countr_zero(of_a ^ of_b)) / 8;
  }
  while (size < most && a[size] == b[size]) ++size;
  return size;
}

template <class Number>
void append_number(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_tree(std::string& out, const BlockTreeRoot& tree) {
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

// Begins a page file and goes on with `head`, so that trees can be begun behind it.
PageWriter begin_file(const std::filesystem::path& folder, const char* name, const char* magic,
                      std::string_view head = {}) {
  PageWriter file((folder / name).string(), magic, kNgramFormatVersion);
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
  append_varint(document_block_, tokens << 1U | (id ? 1U : 0U));
  if (id) {
    const std::size_t shared = shared_prefix(last_id_, *id);
    append_varint(document_block_, shared);
    append_varint(document_block_, id->size() - shared);
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
  end_documents();
  require(!open_, "n-gram index: an n-gram within an n-gram");
  require(sizes_.entries == 0 || key_ < key || (key_ == key && text_ < text), "n-gram index: n-grams out of order");
  open_ = true;
  key_ = key;
  shared_ = block_rows_ == 0 ? 0 : shared_prefix(text_, text);
  text_ = text;
  list_begin_ = places_.position();
  count_ = 0;
  in_documents_ = 0;
}

void IndexWriter::add_place(DocId document, std::uint64_t token) {
  if (count_ != 0 && document == document_) {
    require(open_ && token > token_, "n-gram index: places out of order");
    places_.write_varint((token - token_) << 1U | 1U);
  } else {
    require(open_ && (count_ == 0 || document > document_) && document < sizes_.documents,
            "n-gram index: places out of order");
    places_.write_varint((count_ == 0 ? document : document - document_) << 1U);
    places_.write_varint(token);
    ++in_documents_;
  }
  document_ = document;
  token_ = token;
  ++count_;
}

void IndexWriter::add_gram(std::uint64_t key, std::string_view text, const EncodedPlaces& places) {
  begin_gram(key, text);
  require(places.count == 0 || places.last_document < sizes_.documents, "n-gram index: places out of order");
  places_.write(places.bytes);
  count_ = places.count;
  in_documents_ = places.documents;
  end_gram();
}

void PlaceEncoder::add(DocId document, std::uint64_t token) {
  if (bytes_.size() - used_ < 2 * kMaxVarintBytes) bytes_.resize(2 * bytes_.size() + 64);
  char* out = bytes_.data() + used_;
  if (count_ != 0 && document == document_) {
    out = put_varint(out, (token - token_) << 1U | 1U);
  } else {
    out = put_varint(out, (count_ == 0 ? document : document - document_) << 1U);
    out = put_varint(out, token);
    ++documents_;
  }
  used_ = static_cast<std::size_t>(out - bytes_.data());
  document_ = document;
  token_ = token;
  ++count_;
}

void IndexWriter::end_gram() {
  require(open_ && count_ >= head_.m, "n-gram index: an n-gram with too few places");
  open_ = false;
  char numbers[3 * kMaxVarintBytes];
  char* end = numbers;
  if (block_rows_ == 0) {
    block_key_ = key_;
    end = put_varint(end, sizes_.entries);
    end = put_varint(end, list_begin_);
  } else {
    end = put_varint(end, shared_);
  }
  end = put_varint(end, text_.size() - shared_);
  block_.append(numbers, end);
  block_.append(text_, shared_);
  end = put_varint(numbers, count_);
  end = put_varint(end, in_documents_);
  end = put_varint(end, places_.position() - list_begin_);
  block_.append(numbers, end);
  ++sizes_.entries;
  sizes_.places += count_;
  if (++block_rows_ == kBlockGrams || block_.size() >= kBlockBytes) end_gram_block();
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
  const PageFileId places_id = places_.finish({});
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

}  // namespace refrain
