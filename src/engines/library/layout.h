// What a library is made of: what is known of the documents that were kept, so that new ones can be held against them.
//
// A library is a folder of immutable segments and a manifest that names them, as an index is. A segment comes from one
// run, and holds its documents in order of rank, the best first; segments are in the order of their commits. So documents
// are numbered through all segments, removed ones included, and of two the one with the lesser number ranks better.
//
// Of a document it holds its id, the digest of its text, its signature, the keys by which it is found, its source and
// where its text lies. It holds no texts: they are read where they lie, and compared with their digest.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/digest.h"

namespace refrain::library {

// Something that answers depend on: {"tokenizer", "words-nfkc"}.
struct Rule {
  std::string name;
  std::string value;
  friend bool operator==(const Rule&, const Rule&) = default;
};

struct Layout {
  std::vector<Rule> rules;
  unsigned lanes = 0;  // of a signature, a byte each; 0: documents are found by their digests alone
  unsigned bands = 0;  // of a signature: a document is found by each of them
  unsigned rows = 0;   // lanes of a band
  friend bool operator==(const Layout&, const Layout&) = default;
};

// Where documents came from: a run, or a server.
struct Origin {
  std::string name;   // the folder of the run; empty: the one that the library lies in
  std::string input;  // how its files are to be read again: JSON, for whoever does
  friend bool operator==(const Origin&, const Origin&) = default;
};

// A file that holds texts.
struct TextFile {
  std::string path;          // empty: the id of the document is its path; relative: in the library's folder
  std::uint32_t origin = 0;  // number of its origin in the segment
  std::uint8_t format = 0;   // refrain::Format, where the texts have places in it
};

inline constexpr std::uint32_t kNoFile = ~std::uint32_t{0};

// Where a text lies.
struct TextPlace {
  std::uint32_t file = kNoFile;  // number in the segment's files; kNoFile: nowhere
  std::uint64_t begin = 0;       // of what stands for the text in the file
  std::uint64_t bytes = 0;       // 0: the file must be read from its beginning to find it
  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

// A place where documents come from (a host, a file, a field's value), and the windows that its documents share, which
// are left out when they are compared.
struct Source {
  std::string name;
  std::vector<std::uint64_t> left_out;  // ascending; may be empty
};

// A document that is added.
struct NewDocument {
  std::string_view id;
  Digest digest;
  std::span<const std::uint8_t> signature;  // lanes bytes; empty: too short to have one
  std::span<const std::uint32_t> bands;     // bands keys; empty likewise
  std::uint32_t source = 0;                 // number in the segment's sources
  TextPlace place;
  std::uint64_t text_bytes = 0;
  std::uint64_t rank = 0;  // what the keep policy ranked it by
};

// What is known of a document, without its id.
struct KnownDocument {
  Digest digest;
  std::vector<std::uint8_t> signature;  // empty where it has none
  std::size_t segment = 0;
  std::uint32_t source = 0;  // in its segment
  TextPlace place;
  std::uint64_t text_bytes = 0;
  std::uint64_t rank = 0;
};

// By which a document is found: by its digest, and by each band of its signature. 64 bits, of which a segment keeps as
// many as tell its documents apart.
std::uint64_t digest_key(const Digest& digest);
// `lanes` are the bytes of the band's own lanes: they make more of the 32 bits of its key.
std::uint64_t band_key(unsigned band, std::uint32_t key, std::span<const std::uint8_t> lanes);
// All keys of a document: one of its digest, and one a band where it has a signature.
void append_keys(const Layout& layout, const Digest& digest, std::span<const std::uint8_t> signature,
                 std::span<const std::uint32_t> bands, std::vector<std::uint64_t>& keys);

}  // namespace refrain::library
