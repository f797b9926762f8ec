// The n-gram index: the n-grams that occur m times or more, with their places. Version 1.
//
// Three page files (store/page_file.h) in one folder. Numbers are little-endian; a varint is LEB128 (store/varint.h); a
// tree is a block tree (store/block_tree.h).
//
// grams.bin       stream   "RFRNGRAM", version (4), n (4), m (4), version of the token hash (2), of the key (2), name
//                          of the tokenizer (16, filled up with zeros), and a tree by key (gram_key.h)
//                 block    varints: n-grams before it, place of its first list in places.bin; then up to 64 n-grams,
//                          fewer once they take 16 KiB, in the order of their keys, then of their bytes. Each:
//                            bytes shared with the text before it (varint; not for the block's first)
//                            bytes that follow, how many (varint) and which
//                            places, documents, bytes of the list of places (varints)
//                 tail     the tree (begin, end, root, depth: 8 each), documents, tokens, all n-grams, n-grams in the
//                          index, places (8 each); then length and digest of places.bin and of documents.bin (8 each)
// places.bin      stream   "RFRPLACE", version (4), and the lists of places, in the order of the n-grams. Each place:
//                            in another document than the place before it, and the first of a list: 2 x (document less
//                            the document before it, 0 for the first) as a varint, then the token as a varint
//                            in the same document: 2 x (token less the token before it) + 1 as a varint
//                 tail     empty
// documents.bin   stream   "RFRNDOCS", version (4), and a tree by number of document
//                 block    64 documents (the last block: what is left), in input order. Each: 2 x tokens (varint), + 1
//                          where the document has an id other than its number, which follows: bytes shared with the id
//                          before it in this block (varint), bytes that follow, how many (varint) and which
//                 tail     the tree, documents with an id other than their number (8)
//
// An n-gram's text is its tokens' normal forms, joined by one space. A place is a document and a token in it, both
// counted from 0. The three files are the same for the same input, n, m and tokenizer.
#pragma once

#include <cstddef>
#include <cstdint>

#include "refrain/fingerprint.h"
#include "refrain/ngrams.h"

namespace refrain::ngram {

inline constexpr std::uint32_t kNgramFormatVersion = 1;
inline constexpr std::uint16_t kGramHashVersion = 1;  // XXH3, 64 bits, seed 0

inline constexpr const char* kGramsName = "grams.bin";
inline constexpr const char* kPlacesName = "places.bin";
inline constexpr const char* kDocumentsName = "documents.bin";

inline constexpr const char* kGramsMagic = "RFRNGRAM";
inline constexpr const char* kPlacesMagic = "RFRPLACE";
inline constexpr const char* kDocumentsMagic = "RFRNDOCS";

inline constexpr std::size_t kTokenizerNameBytes = 16;
inline constexpr std::uint64_t kBlockGrams = 64;
inline constexpr std::size_t kBlockBytes = std::size_t{16} << 10;
inline constexpr std::uint64_t kBlockDocuments = 64;

// What an index was made with.
struct IndexHead {
  unsigned n = 8;
  unsigned m = 2;
  TokenizerKind tokenizer = TokenizerKind::words;
};

struct IndexSizes {
  std::uint64_t documents = 0;
  std::uint64_t named = 0;  // documents with an id other than their number
  std::uint64_t tokens = 0;
  std::uint64_t grams = 0;    // all n-grams of the text, those that are not in the index too
  std::uint64_t entries = 0;  // n-grams in the index
  std::uint64_t places = 0;   // of those
  std::uint64_t grams_bytes = 0;
  std::uint64_t places_bytes = 0;
  std::uint64_t documents_bytes = 0;
};

}  // namespace refrain::ngram
