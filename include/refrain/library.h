// The library: what is known of the documents that earlier runs kept, so that new ones can be compared with them.
//
// A library is a folder (docs/format.md): immutable segments, and a manifest that lists them. Of each document it holds
// the id, a digest of the text, a signature, the keys by which it is found, its source, and where its text lies. It holds
// no texts but those of documents that a server added (seen.h), in files of their own. There is one writer at a time, and
// any number of readers in any process; a reader sees the library as of one commit. A damaged library is Error(corrupt),
// detected before any wrong answer is given.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"
#include "refrain/digest.h"

namespace [[gnu::visibility("default")]] refrain {

// An option that answers depend on: a run with another value cannot use the library.
struct LibraryRule {
  std::string name;
  std::string value;
};

struct LibraryStats {
  std::uint64_t generation = 0;  // increases with every commit
  std::vector<LibraryRule> rules;
  unsigned lanes = 0;           // bytes of a signature
  unsigned bands = 0;           // of a signature; a document is found by each of them, and by its digest
  unsigned rows = 0;            // lanes of a band
  std::uint64_t documents = 0;  // not removed
  std::uint64_t removed = 0;    // not yet merged away
  // Of all documents, including removed ones not yet merged away.
  std::uint64_t text_bytes = 0;
  std::uint64_t keys = 0;
  std::uint64_t segments = 0;
  std::uint64_t documents_bytes = 0;  // digests, signatures, places
  std::uint64_t ids_bytes = 0;
  std::uint64_t names_bytes = 0;  // of files and sources
  std::uint64_t keys_bytes = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t other_bytes = 0;  // the manifest, the lists of removed documents
  std::uint64_t texts_bytes = 0;  // files of texts that a server added
  // Documents in those that are in no segment yet: whoever changes the library next takes them up.
  std::uint64_t waiting_documents = 0;
};

// What remove and merge did. Once they return, the change is committed.
struct LibraryWriteReport {
  std::uint64_t generation = 0;
  std::uint64_t documents = 0;  // after the change, not removed
  std::uint64_t removed = 0;    // now; by merge: earlier, and gone from the disk now
  std::vector<std::string> unknown_ids;
  std::vector<std::string> unknown_sources;
  std::uint64_t segments = 0;  // after the change
  std::uint64_t merged_segments = 0;
  std::uint64_t library_bytes = 0;  // on disk, after the change
  double seconds = 0;
  std::uint64_t peak_rss_bytes = 0;
  std::uint64_t memory_bytes = 0;
};

struct LibraryCheckReport {
  std::uint64_t segments = 0;
  std::uint64_t documents = 0;  // not removed
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  std::vector<std::string>
      damages;  // "path: what"; at most one per segment or file of texts; empty if there is no damage
  double seconds = 0;
};

struct LibraryRemoveOptions {
  std::vector<std::string> ids = {};
  std::vector<std::string> sources = {};
};

// A document of the library.
struct LibraryDocument {
  std::string id;
  Digest digest;  // of its text
  std::string source;
  std::string origin;       // the run that it came from
  std::string file;         // that its text lies in; relative: in the library's folder; empty: nowhere that is known
  std::uint64_t begin = 0;  // of the text in the file,
  std::uint64_t bytes = 0;  // as it is stored there; 0: the file has to be read from its beginning to find it
  std::uint64_t text_bytes = 0;
};

struct LibraryExportReport {
  std::uint64_t generation = 0;
  std::uint64_t documents = 0;
  double seconds = 0;
};

// All of them: Error(not_found) if there is no library.
LibraryStats library_stats(const std::filesystem::path& folder);
// Every checksum, and everything against everything else; no texts but those that lie in the library.
LibraryCheckReport library_check(const std::filesystem::path& folder, const Context& context);
// All segments become one, without what was removed. Error(busy) while another process is writing; so is removing.
LibraryWriteReport library_merge(const std::filesystem::path& folder, const Context& context);
// Removes all documents that have one of the ids, or come from one of the sources; texts that lie in the library are
// overwritten. Nothing is committed where there are none.
LibraryWriteReport library_remove(const std::filesystem::path& folder, const LibraryRemoveOptions& options,
                                  const Context& context);
// Calls document() for each that is not removed, best-ranked first.
LibraryExportReport library_export(const std::filesystem::path& folder, const Context& context,
                                   const std::function<void(const LibraryDocument&)>& document);

}  // namespace refrain
