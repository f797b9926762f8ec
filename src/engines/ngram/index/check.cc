// Checks all parts of an index against each other.
#include <fmt/format.h>

#include "engines/ngram/index/gram_key.h"
#include "engines/ngram/index/reader.h"

namespace refrain::ngram {

void IndexReader::check(const std::function<void(std::uint64_t)>& read) {
  grams_.check_all([](std::uint64_t) {});
  places_.check_all([](std::uint64_t) {});
  documents_.check_all(read);
  check_documents();
  check_grams(read);
}

void IndexReader::check_documents() {
  store::BlockTreeReader::Block block;
  DocumentBlock decoded;
  std::uint64_t documents = 0;
  std::uint64_t named = 0;
  std::uint64_t tokens = 0;
  std::uint64_t grams = 0;
  document_tree_.rewind();
  while (document_tree_.next(block)) {
    if (block.key != documents || documents % kBlockDocuments != 0) documents_.corrupt("documents out of order");
    decode(block, decoded);
    documents += block.rows;
    for (std::size_t row = 0; row < decoded.tokens.size(); ++row) {
      named += decoded.named[row] ? 1 : 0;
      tokens += decoded.tokens[row];
      grams += decoded.tokens[row] < head_.n ? 0 : decoded.tokens[row] - head_.n + 1;
    }
    // The inner nodes of the tree must lead here, too.
    const std::uint64_t place = block.place;
    const std::uint64_t key = block.key;
    document_tree_.seek(key + 1);
    if (!document_tree_.next(block) || block.place != place)
      documents_.corrupt(fmt::format("document {} cannot be found by its number", key));
  }
  if (documents != sizes_.documents || named != sizes_.named || tokens != sizes_.tokens || grams != sizes_.grams)
    documents_.corrupt("number of documents, ids, tokens or n-grams differs from the header");
}

void IndexReader::check_grams(const std::function<void(std::uint64_t)>& read) {
  store::BlockTreeReader::Block block;
  GramEntry entry;
  GramEntry found;
  GramPlace place;
  std::string last;
  std::uint64_t last_key = 0;
  std::uint64_t entries = 0;
  std::uint64_t places = 0;
  std::uint64_t list = store::PageReader::kBegin;
  std::uint64_t reported = 0;
  scan_.rewind();
  while (scan_.next(block)) {
    scanned_.start(block);
    if (scanned_.before() != entries) grams_.corrupt("block with a wrong number of preceding n-grams");
    bool first = true;
    while (scanned_.next(entry)) {
      const std::optional<std::uint64_t> key = key_of_text(entry.text, head_.n);
      if (!key) grams_.corrupt(fmt::format("n-gram {} does not have {} tokens", entries, head_.n));
      if (first && *key != block.key)
        grams_.corrupt(fmt::format("n-gram {} has a different key than its block", entries));
      if (entries != 0 && (*key < last_key || (*key == last_key && entry.text <= last)))
        grams_.corrupt(fmt::format("n-gram {} is out of order", entries));
      if (entry.count < head_.m || entry.list != list)
        grams_.corrupt(fmt::format("n-gram {} has a wrong count or list of places", entries));
      PlaceCursor cursor = this->places(entry);
      while (cursor.next(place)) {
        const std::uint64_t in_document = tokens(place.document);
        if (in_document < head_.n || place.token > in_document - head_.n)
          places_.corrupt(fmt::format("n-gram {} has a place past the end of its document", entries));
      }
      if (first && (!find(*key, entry.text, found) || found.list != entry.list))
        grams_.corrupt(fmt::format("n-gram {} cannot be looked up", entries));
      first = false;
      last_key = *key;
      last = entry.text;
      list += entry.list_bytes;
      places += entry.count;
      ++entries;
    }
    const std::uint64_t now = block.place + list;
    read(now - reported);
    reported = now;
  }
  if (entries != sizes_.entries || places != sizes_.places)
    grams_.corrupt("number of n-grams or places differs from the header");
  if (list != places_.size()) places_.corrupt("more places than n-grams");
  if (sizes_.grams < places) grams_.corrupt("fewer n-grams than places");
  const std::uint64_t all = sizes_.grams_bytes + sizes_.places_bytes;
  if (all > reported) read(all - reported);
}

}  // namespace refrain::ngram
