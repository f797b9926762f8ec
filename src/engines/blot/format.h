// The blot index on disk. Version 1.
//
// A folder:
//   manifest            what the index is made of; the only file that is ever replaced, by one rename
//   lock                empty; whoever writes holds a lock on it
//   SSSSSS/             a segment, written once: documents.bin, posts-00.bin and so on, one a shard, and texts.bin where
//                       texts are stored
//   SSSSSS-GGGGGG.removed   the documents of segment S that had been removed by generation G
//
// All but the manifest are page files (store/page_file.h): every page has its checksum. Numbers are little-endian; a
// varint is LEB128 (store/varint.h); gamma, delta and rice are those of store/bits.h.
//
// manifest            lines "key value ...", the last one "checksum" and 16 hexadecimal digits, over all lines before it
//                       refrain-index VERSION   the oldest that can say it all: 4 with all windows or bare code, 3 with pairs, 2 without; 1 has no
//                               id; all are read
//                       id 32 hexadecimal digits, random: which index this is
//                       generation, next-segment, next-ordinal N
//                       window, interleave, blot-bits, shards N; blots, sampling, tokenizer NAME; store-text 0|1; from version 3
//                               on pairs 0|1; in version 4 blot-tokens N
//                       segment S documents tokens blocks text-bytes blots posts, then bytes:digest of documents.bin, of
//                               every posts file, and of texts.bin or "-"
//                       removed S G documents bytes:digest            behind its segment, where there is one
//
// documents.bin       stream   "RFRBDOCS", version (4), then groups of kGroupDocuments documents. Each:
//                       id: bytes shared with the id before it in the group, bytes that follow (varints), those bytes
//                       tokens, bytes of the text, kind (varints)
//                       kind 0, a file whose path is its id (below the root, where it is relative): nothing
//                       kind 1 and 3, a part of a file: its path by number, its format, begin and bytes of the raw text (varints)
//                       kind 2, stored: its place in texts.bin (varint), then for every frame (kFrameMarks marks of text,
//                               zstd) its bytes (varint)
//                       marks: how many bytes they take (varint); for every kMarkTokens tokens (and one at least) a checksum
//                               of the text up to the next mark (4) and, but for the last, the bytes up to there (varint), of
//                               kind 3 also in the raw text (varint)
//                     then the paths (varint of the length, bytes), the first one being the root, or
//                       empty where no path is relative to it
//                     then for every group the place of its first document and the block of its first token (8 each)
//                     then for every document 4 bytes of the hash of its id and 4 of its number, in that order
//                     tail     documents, tokens, blocks, text bytes, paths, and the places of the three tables (8 each)
//
// posts-NN.bin        stream   "RFRBPOST", version (4), then buckets: the blots with the same leading bits. Each that has any:
//                       lists (varint); then in bits, for every list, in the order of blots,
//                       rice(blot less the blot before it less 1, in the bucket; gap_bits)
//                       gamma(places); where there are kLongList or more: gamma(bits of the places)
//                       the first place (place_bits); the others as delta(place less the place before it)
//                     then for every bucket, and for the end, its place in the stream (5 each)
//                     tail     blot bits, bucket bits (leading bits that all buckets of the segment are told apart by),
//                              gap bits, place bits, first bucket, buckets, blots, posts, place of the table (8 each)
//                     A place is a block: kBlockTokens tokens of one document, numbered through the segment.
//
// texts.bin           stream   "RFRBTEXT", version (4), then frames. tail: bytes before compression (8)
//
// *.removed           stream   "RFRBGONE", version (4), then for every removed document the number less the one before
//                     it less 1 (varint; the first as it is). tail: how many (8)
#pragma once

#include <cstddef>
#include <cstdint>

#include "store/segments/folder.h"

namespace refrain::blot {

inline constexpr std::uint32_t kBlotFormatVersion = 1;

// Places are known to this many tokens: a block never crosses documents.
inline constexpr std::uint64_t kBlockTokens = 16;
inline constexpr std::uint64_t kMarkTokens = 256;
inline constexpr std::uint64_t kFrameMarks = 16;
inline constexpr std::uint64_t kGroupDocuments = 16;
inline constexpr std::uint64_t kMaxDocuments = std::uint64_t{1} << 32U;  // of a segment
inline constexpr std::uint64_t kBucketPosts = 64;                        // about; up to twice as many
inline constexpr std::uint64_t kLongList = 64;
inline constexpr std::size_t kBucketPlaceBytes = 5;

using store::kLockName;
using store::kManifestName;
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
