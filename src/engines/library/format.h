// The files of a library, version 1.
//
// A library is a folder as described in store/segments/folder.h. A segment consists of documents.bin, ids.bin,
// names.bin, keys.bin and filter.bin, which are page files (store/page_file.h): every page has a checksum. Numbers are
// little-endian; a varint is LEB128 (store/varint.h); a signed varint is 2n, or -2n - 1 if n is below 0. The documents
// of a segment are numbered from 0. "n less m" means n - m.
//
// manifest            lines "key value ..."; the last one is "checksum" and 16 hexadecimal digits, over all other lines
//                       refrain-library VERSION    1
//                       id                         32 random hexadecimal digits that identify the library
//                       generation, next-segment, lanes, bands, rows N
//                       rule NAME VALUE            one line per option that answers depend on
//                       run NAME                   one line per run whose segment was merged or became empty
//                       segment S documents text-bytes keys greatest-rank, then bytes:digest of its five files in the
//                               order above, then its run
//                       removed S G documents bytes:digest            after its segment, if documents were removed
//                     A VALUE or NAME at the end of a line extends to the end of that line, with \n for a line break
//                     and \\ for a backslash.
//
// documents.bin       stream   "RFRLDOCS", version (4), then groups of kGroupDocuments documents. In each group:
//                       for every document a row of varints, relative to the document before it in the group (the first
//                       one: relative to zeros):
//                         4 f + 2 p + s: s is 1 if it has a signature; p is 1 if its text has a place; f is its file
//                           less the file before (signed)
//                         source less the source before (signed)
//                         if it has a place: begin less the end of the text before (signed; in another file: less 0);
//                           bytes
//                         text_bytes less bytes (signed); rank less the rank before (signed)
//                       a document without a place leaves file and end unchanged, and its bytes are 0
//                       for every document its digest (high 8, low 8) and its signature, if it has one (lanes)
//                     then, for every group and for the end of the last one, its offset in the stream (8 each)
//                     tail     documents, text bytes, greatest rank, lanes, offset of the table (8 each)
//
// ids.bin             stream   "RFRLIDNT", version (4), then blocks of kBlockIds ids: a zstd frame each, with the
//                       length of every id (varint), then all ids without separators
//                     then, for every block and for the end of the last one, its offset in the stream (8 each)
//                     tail     documents, offset of the table (8 each)
//
// names.bin           stream   "RFRLNAME", version (4), then rows in any order. A text: length (varint), bytes:
//                       an origin: name, input (texts)
//                       a file: path (text), origin, format (varints)
//                       a source: name (text), left-out windows: their number, each less the one before it (varints)
//                     then, for every origin, then file, then source, its offset in the stream (8 each)
//                     tail     origins, files, sources, offset of the table (8 each)
//
// keys.bin            stream   "RFRLKEYS", version (4), zeros to the end of the first page, then self-contained pages
//                       of (key, document) entries in ascending order. With L low and D document bits, a page holds:
//                         key of the first entry (8), number of entries (2)
//                         for every entry the low L bits of its key less the first key
//                         for every entry its document, D bits
//                         for every entry the upper bits of that difference, less those of the entry before, in unary:
//                           that many 0 bits and a 1
//                       each of the three lists begins at a whole byte, fills bytes from the least significant bit on,
//                       and is padded with zeros
//                     then the first key of every page (8 each)
//                     tail     key bits, low bits, document bits, documents, keys, pages (8 each)
//                     A key here is the upper `key bits` of the 64 bits described in layout.h.
//
// filter.bin          stream   "RFRLFILT", version (4), then blocks of 64 bytes: a Bloom filter of the keys (filter.h)
//                     tail     blocks, key bits, keys (8 each)
//
// *.removed           as described in store/segments/folder.h, with the magic "RFRLGONE"
#pragma once

#include <cstddef>
#include <cstdint>

namespace refrain::library {

inline constexpr std::uint32_t kLibraryFormatVersion = 1;

inline constexpr std::uint64_t kMaxDocuments = std::uint64_t{1} << 32U;  // in a segment
inline constexpr std::uint64_t kMostLanes = 4096;
inline constexpr std::uint64_t kGroupDocuments = 16;
inline constexpr std::uint64_t kBlockIds = 64;
// Stored bits of a key. Merging cannot add bits, so small segments store as many as large ones. There are a
// thousand times as many possible keys as keys, up to a billion documents with 14 keys each.
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
