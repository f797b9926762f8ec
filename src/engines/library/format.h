// The library on disk. Version 1.
//
// A folder as store/segments/folder.h says. A segment holds documents.bin, ids.bin, names.bin, keys.bin and filter.bin,
// all of them page files (store/page_file.h): every page has its checksum. Numbers are little-endian; a varint is LEB128
// (store/varint.h); a signed varint is 2n, or -2n - 1 where n is below 0. Documents are numbered from 0 in a segment.
//
// manifest            lines "key value ...", the last one "checksum" and 16 hexadecimal digits, over all lines before it
//                       refrain-library VERSION    1
//                       id 32 hexadecimal digits, random: which library this is
//                       generation, next-segment, lanes, bands, rows N
//                       rule NAME VALUE            each that answers depend on
//                       run NAME                   each whose segment was merged or is gone
//                       segment S documents text-bytes keys greatest-rank, then bytes:digest of its five files as named
//                               above, then its run
//                       removed S G documents bytes:digest            behind its segment, where there is one
//                     A VALUE or NAME at the end of a line is the rest of it, with \n and \\ for a line break and a backslash.
//
// documents.bin       stream   "RFRLDOCS", version (4), then groups of kGroupDocuments documents. Each:
//                       for every document what it has besides, as varints, against the document before it in the group
//                       (of the first: against zeros):
//                         4 f + 2 p + s: s 1 where it has a signature; p 1 where its text has a place; f its file less the
//                           file before (signed)
//                         source less the source before (signed)
//                         where it has a place: begin less where the text before ended (signed; in another file: less 0);
//                           bytes
//                         text_bytes less bytes (signed); rank less the rank before (signed)
//                       what has no place leaves file and end as they were, and has 0 bytes
//                       for every document its digest (high 8, low 8) and its signature, if it has one (lanes)
//                     then for every group, and for the end, its place in the stream (8 each)
//                     tail     documents, text bytes, greatest rank, lanes, place of the table (8 each)
//
// ids.bin             stream   "RFRLIDNT", version (4), then blocks of kBlockIds ids: a frame of zstd, which holds for every
//                       document the bytes of its id (varint), and then all ids end to end
//                     then for every block, and for the end, its place in the stream (8 each)
//                     tail     documents, place of the table (8 each)
//
// names.bin           stream   "RFRLNAME", version (4), then rows in any order. Text is its bytes (varint) and those:
//                       an origin: name, input (texts)
//                       a file: path (text), origin, format (varints)
//                       a source: name (text), left-out windows (varint), each less the one before it (varints)
//                     then for every origin, then file, then source, its place in the stream (8 each)
//                     tail     origins, files, sources, place of the table (8 each)
//
// keys.bin            stream   "RFRLKEYS", version (4), zeros to the end of the first page, then pages of (key, document) in
//                       that order, of which each stands for itself; with L low bits and D document bits:
//                         key of the first entry (8), entries (2)
//                         for every entry the low L bits of its key less the first key
//                         for every entry its document, D bits
//                         for every entry as many 0 bits as the rest of that difference is above the rest before it, and a 1
//                       each of the three from a whole byte on, bits from the least significant one of a byte on; zeros
//                       behind them
//                     then for every page its first key (8 each)
//                     tail     key bits, low bits, document bits, documents, keys, pages (8 each)
//                     A key here is the upper `key bits` of the 64 that layout.h makes.
//
// filter.bin          stream   "RFRLFILT", version (4), then blocks of 64 bytes: a Bloom filter of the keys (filter.h)
//                     tail     blocks, key bits, keys (8 each)
//
// *.removed           as store/segments/removed.h says, magic "RFRLGONE"
#pragma once

#include <cstddef>
#include <cstdint>

namespace refrain::library {

inline constexpr std::uint32_t kLibraryFormatVersion = 1;

inline constexpr std::uint64_t kMaxDocuments = std::uint64_t{1} << 32U;  // of a segment
inline constexpr std::uint64_t kMostLanes = 4096;
inline constexpr std::uint64_t kGroupDocuments = 16;
inline constexpr std::uint64_t kBlockIds = 64;
// Of a key. Segments that are merged have no more than they had, so small ones have as many as large ones: a thousand
// times as many as there are keys, up to a billion documents with 14 keys each.
inline constexpr unsigned kKeyBits = 44;

inline constexpr const char* kDocumentsName = "documents.bin";
inline constexpr const char* kIdsName = "ids.bin";
inline constexpr const char* kNamesName = "names.bin";
inline constexpr const char* kKeysName = "keys.bin";
inline constexpr const char* kFilterName = "filter.bin";

inline constexpr const char* kDocumentsMagic = "RFRLDOCS";
inline constexpr const char* kIdsMagic = "RFRLIDNT";
inline constexpr const char* kNamesMagic = "RFRLNAME";
inline constexpr const char* kKeysMagic = "RFRLKEYS";
inline constexpr const char* kFilterMagic = "RFRLFILT";
inline constexpr const char* kRemovedMagic = "RFRLGONE";

// The files of a segment, in the order of SegmentInfo::files.
enum SegmentFile : std::size_t { kDocumentsFile, kIdsFile, kNamesFile, kKeysFile, kFilterFile, kSegmentFiles };

constexpr std::uint64_t signed_code(std::uint64_t value, std::uint64_t before) {
  const std::uint64_t difference = value - before;
  return difference << 1U ^ (std::uint64_t{0} - (difference >> 63U));
}
constexpr std::uint64_t from_signed_code(std::uint64_t code, std::uint64_t before) {
  return before + (code >> 1U ^ (std::uint64_t{0} - (code & 1U)));
}

}  // namespace refrain::library
