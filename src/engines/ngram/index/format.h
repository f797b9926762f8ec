// The n-gram index: the n-grams that occur at least m times, with their places. Version 1.
//
// It consists of three page files (store/page_file.h) in one folder. Numbers are little-endian; a varint is LEB128
// (store/varint.h); a tree is a block tree (store/block_tree.h).
//
// grams.bin       stream   "RFRNGRAM", version (4), n (4), m (4), version of the token hash (2) and of the key (2),
//                          name of the tokenizer (16, padded with zeros), and a tree ordered by key (gram_key.h)
//                 block    varints: n-grams before it, offset of its first list in places.bin; then up to 64 n-grams,
//                          fewer once they take 16 KiB, ordered by key, then by their bytes. Each:
//                            bytes shared with the text before it (varint; not for the block's first)
//                            number of the bytes that follow (varint), and those bytes
//                            places, documents, bytes of the list of places (varints)
//                 tail     the tree (begin, end, root, depth: 8 each), documents, tokens, all n-grams, n-grams in the
//                          index, places (8 each); then length and digest of places.bin and of documents.bin (8 each)
// places.bin      stream   "RFRPLACE", version (4), and the lists of places, in the order of the n-grams. Each place:
//                            the first place of a list, or one in another document than the place before it: twice the
//                            difference from the document before it (0 for the first), then the token (varints)
//                            in the same document: twice the difference from the token before it, plus 1 (varint)
//                 tail     empty
// documents.bin   stream   "RFRNDOCS", version (4), and a tree ordered by document number
//                 block    64 documents (the last block: the remaining ones), in input order. Each: twice the number of
//                          its tokens (varint), plus 1 if its id is not its number; in that case the id follows: bytes
//                          shared with the id before it in this block (varint), number of the bytes that follow
//                          (varint), and those bytes
//                 tail     the tree, number of documents with an id other than their number (8)
//
// The text of an n-gram is the normal forms of its tokens, joined by single spaces. A place is a document and a token
// in it, both counted from 0. The same input, n, m and tokenizer always give the same three files.
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

// The options that an index was made with.
struct IndexHead {
  unsigned n = 8;
  unsigned m = 2;
  TokenizerKind tokenizer = TokenizerKind::words;
};

struct IndexSizes {
  std::uint64_t documents = 0;
  std::uint64_t named = 0;  // documents with an id other than their number
  std::uint64_t tokens = 0;
  std::uint64_t grams = 0;    // all n-grams of the text, including those that are not in the index
  std::uint64_t entries = 0;  // n-grams in the index
  std::uint64_t places = 0;   // their places
  std::uint64_t grams_bytes = 0;
  std::uint64_t places_bytes = 0;
  std::uint64_t documents_bytes = 0;
};

}  // namespace refrain::ngram
