// The library: what is known of the documents that earlier runs kept, so that new ones can be compared with them.
//
// A library is a folder (docs/format.md): immutable segments, and a manifest that lists them. For each document it
// holds the id, a digest of the text, a signature, the keys by which it is found, its source, and where its text is
// stored. It contains no texts except those of documents that a server added (seen.h), in files of their own. There
// is one writer at a time, and any number of readers in any process; a reader sees the library as of one commit. A
// damaged library is reported as Error(corrupt) before it can cause a wrong answer.
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

// An option on which answers depend. A run with another value cannot use the library.
struct LibraryRule {
  std::string name;
  std::string value;
};

struct LibraryStats {
  std::uint64_t generation = 0;  // increases with every commit
  std::vector<LibraryRule> rules;
  unsigned lanes = 0;           // bytes of a signature
  unsigned bands = 0;           // of a signature; a document is found by each of them, and by its digest
  unsigned rows = 0;            // lanes in a band
  std::uint64_t documents = 0;  // that are not removed
  std::uint64_t removed = 0;    // removed documents that are not yet merged away
  // The following count all documents, including removed ones that are not yet merged away.
  std::uint64_t text_bytes = 0;
  std::uint64_t keys = 0;
  std::uint64_t segments = 0;
  std::uint64_t documents_bytes = 0;  // digests, signatures and the locations of texts
  std::uint64_t ids_bytes = 0;
  std::uint64_t names_bytes = 0;  // names of files and sources
  std::uint64_t keys_bytes = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t other_bytes = 0;  // the manifest and the lists of removed documents
  std::uint64_t texts_bytes = 0;  // the files with the texts that a server added
  // Documents in these files that are in no segment yet. The next process that changes the library adds them to one.
  std::uint64_t waiting_documents = 0;
};

// The result of library_remove() and library_merge(). The change is committed when they return.
struct LibraryWriteReport {
  std::uint64_t generation = 0;
  std::uint64_t documents = 0;  // after the change, without removed ones
  std::uint64_t removed = 0;    // removed by this call; for a merge: removed earlier, and deleted from the disk now
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
  std::uint64_t documents = 0;  // that are not removed
  std::uint64_t keys = 0;
  std::uint64_t bytes = 0;
  // One "path: what; remedy" per damage, at most one per segment; empty if there is no damage.
  std::vector<std::string> damages;
  bool repaired = false;      // with `repair`: all damage was in files of texts, and was overwritten
  std::uint64_t dropped = 0;  // with `repair`: damaged places in files of texts that were overwritten with blanks
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
  std::string origin;       // the run that it came from; empty: not known
  std::string file;         // the file with its text; relative: in the library's folder; empty: not known
  std::uint64_t begin = 0;  // where the text begins in the file,
  std::uint64_t bytes = 0;  // and its size there; 0: to find it, the file has to be read from its beginning
  std::uint64_t text_bytes = 0;
};

struct LibraryExportReport {
  std::uint64_t generation = 0;
  std::uint64_t documents = 0;
  double seconds = 0;
};

// The following functions throw Error(not_found) if there is no library.
LibraryStats library_stats(const std::filesystem::path& folder);
// Verifies every checksum, and that all parts agree with each other. Of the texts, only those stored in the library
// are read. With `repair`, damaged records in the files of texts that a server added are dropped, and nothing else is
// changed; segments cannot be repaired. With `repair`, throws Error(busy) while another process is writing.
LibraryCheckReport library_check(const std::filesystem::path& folder, const Context& context, bool repair = false);
// Merges all segments into one, without the removed documents. Throws Error(busy) while another process is writing,
// as library_remove() does.
LibraryWriteReport library_merge(const std::filesystem::path& folder, const Context& context);
// Removes all documents that have one of the ids or come from one of the sources. Those of their texts that are
// stored in the library are overwritten. If there are no such documents, nothing is committed.
LibraryWriteReport library_remove(const std::filesystem::path& folder, const LibraryRemoveOptions& options,
                                  const Context& context);
// Calls document() for each document that is not removed, best-ranked first.
LibraryExportReport library_export(const std::filesystem::path& folder, const Context& context,
                                   const std::function<void(const LibraryDocument&)>& document);

}  // namespace refrain
