#include "engines/ngram/index/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "engines/ngram/index/gram_key.h"

namespace refrain::ngram {

namespace {

constexpr std::size_t kTreeBytes = 32;
// Limits of the cache of decoded blocks of documents: blocks and bytes.
constexpr std::size_t kCachedBlocks = 1024;
constexpr std::size_t kCachedBytes = std::size_t{4} << 20;
constexpr std::uint64_t kMaxId = std::numeric_limits<std::uint32_t>::max();

template <class Number>
Number load(std::string_view bytes, std::size_t at) {
  Number number;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

store::BlockTreeRoot load_tree(std::string_view tail) {
  return {load<std::uint64_t>(tail, 0), load<std::uint64_t>(tail, 8), load<std::uint64_t>(tail, 16),
          load<std::uint64_t>(tail, 24)};
}

IndexHead load_head(store::PageReader& file) {
  std::string scratch;
  const std::string_view bytes = file.read(store::PageReader::kBegin, 12 + kTokenizerNameBytes, scratch);
  IndexHead head;
  head.n = load<std::uint32_t>(bytes, 0);
  head.m = load<std::uint32_t>(bytes, 4);
  if (load<std::uint16_t>(bytes, 8) != kGramHashVersion || load<std::uint16_t>(bytes, 10) != kGramKeyVersion)
    file.unsupported("built with different hashes");
  std::string_view name = bytes.substr(12);
  name = name.substr(0, name.find('\0'));
  const std::vector<std::string_view> names = tokenizer_names();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) file.unsupported("built with an unknown tokenizer");
  head.tokenizer = static_cast<TokenizerKind>(found - names.begin());
  if (head.n == 0 || head.n > kMaxNgramTokens || head.m == 0) file.corrupt("invalid n or m");
  return head;
}

IndexSizes load_sizes(store::PageReader& grams, store::PageReader& places, store::PageReader& documents) {
  const std::string_view tail = grams.tail();
  const auto number = [&](std::size_t i) { return load<std::uint64_t>(tail, kTreeBytes + 8 * i); };
  const IndexSizes sizes{.documents = number(0),
                         .named = load<std::uint64_t>(documents.tail(), kTreeBytes),
                         .tokens = number(1),
                         .grams = number(2),
                         .entries = number(3),
                         .places = number(4),
                         .grams_bytes = grams.id().bytes,
                         .places_bytes = places.id().bytes,
                         .documents_bytes = documents.id().bytes};
  if (places.id() != store::PageFileId{number(5), number(6)}) places.corrupt("belongs to another index");
  if (documents.id() != store::PageFileId{number(7), number(8)}) documents.corrupt("belongs to another index");
  return sizes;
}

}  // namespace

PlaceCursor::PlaceCursor(store::PageReader& file, const GramEntry& entry, std::uint64_t documents)
    : file_(&file),
      cursor_(file, entry.list, entry.list + entry.list_bytes),
      left_(entry.count),
      documents_left_(entry.documents),
      documents_(documents) {}

bool PlaceCursor::next(GramPlace& place) {
  if (left_ == 0) {
    if (!cursor_.at_end() || documents_left_ != 0) file_->corrupt("list of places has the wrong length");
    return false;
  }
  const std::uint64_t word = cursor_.varint();
  const std::uint64_t gap = word >> 1U;
  if ((word & 1U) != 0) {
    if (first_ || gap == 0 || gap > std::numeric_limits<std::uint64_t>::max() - place_.token)
      file_->corrupt("places out of order");
    place_.token += gap;
  } else {
    if ((!first_ && gap == 0) || gap >= documents_ - (first_ ? 0 : place_.document) || documents_left_ == 0)
      file_->corrupt("place in a missing document");
    place_.document += gap;
    place_.token = cursor_.varint();
    --documents_left_;
  }
  first_ = false;
  --left_;
  place = place_;
  return true;
}

std::uint64_t GramBlockReader::varint() {
  std::uint64_t value = 0;
  if (!store::get_varint(at_, end_, value)) file_.corrupt("invalid number");
  return value;
}

void GramBlockReader::start(const store::BlockTreeReader::Block& block) {
  at_ = block.content.data();
  end_ = at_ + block.content.size();
  left_ = block.rows;
  first_ = true;
  text_.clear();
  before_ = varint();
  list_ = varint();
}

bool GramBlockReader::next(GramEntry& entry) {
  if (left_ == 0) {
    if (at_ != end_) file_.corrupt("block too long");
    return false;
  }
  --left_;
  const std::uint64_t shared = first_ ? 0 : varint();
  const std::uint64_t more = varint();
  if (shared > text_.size() || more > static_cast<std::uint64_t>(end_ - at_)) file_.corrupt("text truncated");
  first_ = false;
  text_.resize(shared);
  text_.append(at_, more);
  at_ += more;
  entry.text = text_;
  entry.count = varint();
  entry.documents = varint();
  entry.list = list_;
  entry.list_bytes = varint();
  if (entry.documents == 0 || entry.documents > entry.count ||
      entry.list_bytes > std::numeric_limits<std::uint64_t>::max() - list_)
    file_.corrupt("n-gram with impossible counts");
  list_ += entry.list_bytes;
  return true;
}

IndexReader::IndexReader(const std::filesystem::path& folder)
    : grams_((folder / kGramsName).string(), kGramsMagic, kNgramFormatVersion),
      places_((folder / kPlacesName).string(), kPlacesMagic, kNgramFormatVersion),
      documents_((folder / kDocumentsName).string(), kDocumentsMagic, kNgramFormatVersion),
      head_(load_head(grams_)),
      sizes_(load_sizes(grams_, places_, documents_)),
      scan_(grams_, load_tree(grams_.tail())),
      search_(grams_, load_tree(grams_.tail())),
      document_tree_(documents_, load_tree(documents_.tail())),
      scanned_(grams_),
      searched_(grams_),
      cache_(kCachedBlocks) {}

bool IndexReader::find(std::uint64_t key, std::string_view text, GramEntry& entry) {
  store::BlockTreeReader::Block block;
  search_.seek(key);
  while (search_.next(block) && block.key <= key) {
    searched_.start(block);
    while (searched_.next(entry)) {
      if (entry.text == text) return true;
    }
  }
  return false;
}

void IndexReader::rewind() {
  scan_.rewind();
  scanned_rows_ = 0;
  scanned_.stop();
}

bool IndexReader::next(GramEntry& entry) {
  store::BlockTreeReader::Block block;
  while (!scanned_.next(entry)) {
    if (!scan_.next(block)) {
      if (scanned_rows_ != sizes_.entries) grams_.corrupt("number of n-grams differs from the footer");
      return false;
    }
    scanned_.start(block);
  }
  ++scanned_rows_;
  return true;
}

PlaceCursor IndexReader::places(const GramEntry& entry) {
  return {places_, entry, sizes_.documents};
}

void IndexReader::decode(const store::BlockTreeReader::Block& block, DocumentBlock& out) {
  out.ids.clear();
  out.id_ends.clear();
  out.named.clear();
  out.tokens.clear();
  const char* at = block.content.data();
  const char* const end = at + block.content.size();
  const auto varint = [&] {
    std::uint64_t value = 0;
    if (!store::get_varint(at, end, value)) documents_.corrupt("invalid number");
    return value;
  };
  if (block.rows > kBlockDocuments) documents_.corrupt("block too long");
  std::size_t last = 0;  // where the last id begins
  for (std::uint64_t row = 0; row < block.rows; ++row) {
    const std::uint64_t word = varint();
    const bool named = (word & 1U) != 0;
    if (named) {
      const std::uint64_t shared = varint();
      const std::uint64_t more = varint();
      const std::size_t begin = out.ids.size();
      if (shared > begin - last || more > static_cast<std::uint64_t>(end - at) || begin + shared + more > kMaxId)
        documents_.corrupt("id truncated");
      out.ids.append(out.ids, last, shared);
      out.ids.append(at, more);
      at += more;
      last = begin;
    }
    out.named.push_back(named);
    out.id_ends.push_back(static_cast<std::uint32_t>(out.ids.size()));
    out.tokens.push_back(word >> 1U);
  }
  if (at != end) documents_.corrupt("block too long");
  out.number = block.key / kBlockDocuments;
}

const IndexReader::DocumentBlock& IndexReader::document_block(DocId document) {
  if (document >= sizes_.documents) documents_.corrupt("missing document");
  const std::uint64_t number = document / kBlockDocuments;
  std::unique_ptr<DocumentBlock>& slot = cache_[number % kCachedBlocks];
  const auto checked = [&]() -> const DocumentBlock& {
    if (document % kBlockDocuments >= slot->tokens.size()) documents_.corrupt("missing document");
    return *slot;
  };
  if (slot && slot->number == number) return checked();
  if (cached_bytes_ > kCachedBytes) {
    for (std::unique_ptr<DocumentBlock>& other : cache_) other.reset();
    cached_bytes_ = 0;
  }
  if (slot)
    cached_bytes_ -= slot->bytes();
  else
    slot = std::make_unique<DocumentBlock>();
  slot->number = ~std::uint64_t{0};
  store::BlockTreeReader::Block block;
  document_tree_.seek(document + 1);
  if (!document_tree_.next(block) || block.key != number * kBlockDocuments) documents_.corrupt("missing document");
  decode(block, *slot);
  cached_bytes_ += slot->bytes();
  return checked();
}

void IndexReader::append_id(std::string& out, DocId document) {
  if (sizes_.named != 0) {
    const DocumentBlock& block = document_block(document);
    const std::size_t row = document % kBlockDocuments;
    if (block.named[row]) {
      const std::size_t begin = row == 0 ? 0 : block.id_ends[row - 1];
      out.append(block.ids, begin, block.id_ends[row] - begin);
      return;
    }
  }
  out += std::to_string(document);
}

std::uint64_t IndexReader::tokens(DocId document) {
  return document_block(document).tokens[document % kBlockDocuments];
}

}  // namespace refrain::ngram
