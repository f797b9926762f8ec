// The format of the blot index on disk. Version 1.
//
// A folder:
//   manifest            what the index is made of; the only file that is ever replaced, by one rename
//   lock                empty; the process that writes holds a lock on it
//   SSSSSS/             a segment, written once: documents.bin, one file posts-00.bin etc. per shard, and texts.bin if
//                       texts are stored
//   SSSSSS-GGGGGG.removed   the documents of segment S that had been removed by generation G
//
// All files but the manifest are page files (store/page_file.h), in which every page has its checksum. Numbers are
// little-endian; a varint is LEB128 (store/varint.h); gamma, delta and rice are the codes of store/bits.h.
//
// manifest            lines "key value ...". The last one is "checksum" and 16 hexadecimal digits, over all others.
//                       refrain-index VERSION   the oldest version that can express the index: 4 if blots have another
//                               number of tokens than in older indexes, or for bare code; else 3 with pairs, 2 without;
//                               1 has no id. All of them can be read.
//                       id 32 hexadecimal digits, random: identifies the index
//                       generation, next-segment, next-ordinal N
//                       window, interleave, blot-bits, shards N; blots, sampling, tokenizer NAME; store-text 0|1;
//                               from version 3 on pairs 0|1; in version 4 blot-tokens N
//                       segment S documents tokens blocks text-bytes blots posts, then bytes:digest of documents.bin,
//                               of every posts file, and of texts.bin or "-"
//                       removed S G documents bytes:digest            after its segment, if documents have been removed
//
// documents.bin       stream   "RFRBDOCS", version (4 bytes), then groups of kGroupDocuments documents. Each document:
//                       id: number of bytes shared with the previous id in the group, number of bytes that follow
//                               (varints), those bytes
//                       tokens, bytes of the text, kind (varints)
//                       kind 0, a file whose path is the id (below the root, if it is relative): nothing more
//                       kinds 1 and 3, a part of a file: the number of its path, its format, begin and number of bytes
//                               of the raw text (varints)
//                       kind 2, stored: its position in texts.bin (varint), then for every frame (kFrameMarks marks of
//                               text, zstd) its number of bytes (varint)
//                       marks: the number of bytes they take (varint); for every kMarkTokens tokens (at least one) a
//                               checksum of the text up to the next mark (4 bytes) and, except for the last, the number
//                               of bytes up to there (varint), for kind 3 also in the raw text (varint)
//                     then the paths (varint of the length, bytes). The first one is the root, or
//                       empty if no path is relative to it
//                     then for every group the position of its first document and the block of its first token (8 each)
//                     then for every document 4 bytes of the hash of its id and 4 of its number, sorted by these
//                     tail     documents, tokens, blocks, text bytes, paths, positions of the three tables (8 each)
//
// posts-NN.bin        stream   "RFRBPOST", version (4 bytes), then buckets: the blots with the same leading bits. Each
//                       bucket that is not empty:
//                       number of lists (varint); then as bits, for every list, in the order of blots,
//                       rice(blot minus the previous blot minus 1, within the bucket; gap_bits)
//                       gamma(number of places); if there are kLongList or more: gamma(number of bits of the places)
//                       the first place (place_bits); the others as delta(place minus the previous place)
//                     then for every bucket, and for the end, its position in the stream (5 each)
//                     tail     blot bits, bucket bits (the number of leading bits that distinguish all buckets of the
//                              segment), gap bits, place bits, first bucket, buckets, blots, posts, position of the
//                              table (8 each)
//                     A place is a block: kBlockTokens tokens of one document, numbered through the segment.
//
// texts.bin           stream   "RFRBTEXT", version (4 bytes), then frames. tail: bytes before compression (8)
//
// *.removed           stream   "RFRBGONE", version (4 bytes), then for every removed document its number minus the
//                     previous one minus 1 (varint; the first one unchanged). tail: how many there are (8)
#pragma once

#include <cstddef>
#include <cstdint>

namespace refrain::blot {

inline constexpr std::uint32_t kBlotFormatVersion = 1;

// The number of tokens to which a place is known. A block never spans documents.
inline constexpr std::uint64_t kBlockTokens = 16;
inline constexpr std::uint64_t kMarkTokens = 256;
inline constexpr std::uint64_t kFrameMarks = 16;
inline constexpr std::uint64_t kGroupDocuments = 16;
inline constexpr std::uint64_t kMaxDocuments = std::uint64_t{1} << 32U;  // in a segment
inline constexpr std::uint64_t kBucketPosts = 64;                        // approximate; up to twice as many
inline constexpr std::uint64_t kLongList = 64;
inline constexpr std::size_t kBucketPlaceBytes = 5;

inline constexpr const char* kBlotDocumentsName = "documents.bin";
inline constexpr const char* kBlotTextsName = "texts.bin";

inline constexpr const char* kBlotDocumentsMagic = "RFRBDOCS";
inline constexpr const char* kBlotPostsMagic = "RFRBPOST";
inline constexpr const char* kBlotTextsMagic = "RFRBTEXT";
inline constexpr const char* kBlotRemovedMagic = "RFRBGONE";

constexpr std::uint64_t blocks_of(std::uint64_t tokens) {
  return (tokens + kBlockTokens - 1) / kBlockTokens;
}
constexpr std::uint64_t marks_of(std::uint64_t tokens) {
  return tokens == 0 ? 1 : (tokens + kMarkTokens - 1) / kMarkTokens;
}

}  // namespace refrain::blot
