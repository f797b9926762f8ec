// The data model of a library: what is known of the documents that were kept, so that new ones can be compared with
// them.
//
// A library is a folder of immutable segments and a manifest that names them, like an index. A segment comes from
// one run and holds its documents in order of rank, the best first; segments are in the order of their commits.
// Documents are numbered through all segments, including removed ones, so of two documents the one with the smaller
// number ranks better.
//
// A segment holds, for each document, its id, the digest of its text, its signature, the keys by which it is found,
// its source, and where its text is. It holds no texts: they are read from the files they are in and checked
// against their digest.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/digest.h"
#include "store/page_file.h"
#include "store/segments/manifest_text.h"

namespace refrain::library {

// An option that answers depend on, such as {"tokenizer", "words-nfkc"}.
struct Rule {
  std::string name;
  std::string value;
  friend bool operator==(const Rule&, const Rule&) = default;
};

struct Layout {
  std::vector<Rule> rules;
  unsigned lanes = 0;  // bytes of a signature, one per lane; 0: documents are found by their digests alone
  unsigned bands = 0;  // bands of a signature; a document is found by each of them
  unsigned rows = 0;   // lanes of a band
  friend bool operator==(const Layout&, const Layout&) = default;
};

// Where documents came from: a run or a server.
struct Origin {
  std::string name;   // the folder of the run; empty: the folder that contains the library
  std::string input;  // JSON that says how its input files are read again; the library does not interpret it
  friend bool operator==(const Origin&, const Origin&) = default;
};

// A file that holds texts.
struct TextFile {
  std::string path;          // empty: the id of a document is its path; relative: in the library's folder
  std::uint32_t origin = 0;  // number of its origin in the segment
  std::uint8_t format = 0;   // a refrain::Format, if texts have offsets in the file
};

inline constexpr std::uint32_t kNoFile = ~std::uint32_t{0};

// Where a text is.
struct TextPlace {
  std::uint32_t file = kNoFile;  // number among the segment's files; kNoFile: the text is in no file
  std::uint64_t begin = 0;       // offset of the bytes that represent the text in the file
  std::uint64_t bytes = 0;       // 0: the file must be read from its beginning to find the text
  friend bool operator==(const TextPlace&, const TextPlace&) = default;
};

// Where documents come from (a host, a file, or a field's value), and the windows that its documents share, which
// are left out when documents are compared.
struct Source {
  std::string name;
  std::vector<std::uint64_t> left_out;  // ascending; may be empty
};

// A document to be added.
struct NewDocument {
  std::string_view id;
  Digest digest;
  std::span<const std::uint8_t> signature;  // one byte per lane; empty: the text is too short to have one
  std::span<const std::uint32_t> bands;     // one key per band; empty if there is no signature
  std::uint32_t source = 0;                 // number among the segment's sources
  TextPlace place;
  std::uint64_t text_bytes = 0;
  std::uint64_t rank = 0;  // the value by which the keep policy ranked it
};

// A library knows this of a document, besides its id.
struct KnownDocument {
  Digest digest;
  std::vector<std::uint8_t> signature;  // empty if it has none
  std::size_t segment = 0;
  std::uint32_t source = 0;  // number among its segment's sources
  TextPlace place;
  std::uint64_t text_bytes = 0;
  std::uint64_t rank = 0;
};

// The keys by which a document is found: one from its digest, and one from each band of its signature. Keys have 64
// bits, of which a segment stores the upper kKeyBits (stored_key).
std::uint64_t digest_key(const Digest& digest);
// `lanes` holds the bytes of the band's own lanes, which extend its 32-bit key to 64 bits.
std::uint64_t band_key(unsigned band, std::uint32_t key, std::span<const std::uint8_t> lanes);
// Appends all keys of a document: one for its digest and, if it has a signature, one per band.
void append_keys(const Layout& layout, const Digest& digest, std::span<const std::uint8_t> signature,
                 std::span<const std::uint32_t> bands, std::vector<std::uint64_t>& keys);

// The manifest says what a library consists of. A commit replaces it as a whole, by one rename.

struct SegmentInfo : store::SegmentHead {
  std::string run;  // identity of the run it came from, so that a resumed run adds nothing twice; empty after a merge
  std::uint64_t text_bytes = 0;
  std::uint64_t keys = 0;
  std::uint64_t greatest_rank = 0;       // largest keep-policy rank of its documents
  std::vector<store::PageFileId> files;  // in the order of SegmentFile
  friend bool operator==(const SegmentInfo&, const SegmentInfo&) = default;
};

struct Manifest : store::ManifestHead {
  Layout layout;
  std::vector<SegmentInfo> segments;
  std::vector<std::string> runs;  // identities of runs whose segments were merged or became empty
};

// Returns a string that distinguishes this state of the library from every other state of any library.
std::string identity_of(const Manifest& manifest);

std::string to_text(const Manifest& manifest);
// Throws Error(corrupt), or Error(unsupported) for a version that this build does not know. `path` is for the
// message.
Manifest parse_manifest(const std::string& text, const std::string& path);

// Throws Error(not_found) if there is no library, corrupt if it is damaged, and unsupported for another version.
Manifest read_manifest(const std::filesystem::path& folder);

extern const store::SegmentKind kLibraryKind;

}  // namespace refrain::library
