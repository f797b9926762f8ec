// Where documents come from, and what was wrong with some of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

class DocumentStream;  // refrain/documents.h

enum class Format {
  automatic,  // by the name: .jsonl and .ndjson, .csv, .tsv, .warc, .parquet; .json where it is packed or a field
              // is named: jsonl; any other is one document; standard input: jsonl where a field is named, else lines
  files,      // every file is one document; its id is its path
  lines,      // every line is one document, also an empty one; its id is its ordinal
  jsonl,      // every line is one JSON object; blank lines are passed over
  csv,        // RFC 4180 with a header row; a quoted field may hold commas, quotes and line breaks
  tsv,        // the same, with tabs
  warc,       // a web archive: the text of its pages; an id is the WARC-Target-URI, and fields are headers
  parquet,    // every row is one document; needs the module that knows Parquet
};

// Each input is a file, a folder (read recursively, names in byte order; hidden files, links and binary files are
// skipped and counted) or "-" for standard input. Files may be compressed with gzip or zstd: their first bytes tell.
struct InputOptions {
  std::vector<std::string> paths = {};
  // In place of paths: documents that the caller holds, with ids and fields of their own.
  std::shared_ptr<DocumentStream> documents = {};
  Format format = Format::automatic;
  // Fields are keys in jsonl and columns in csv, tsv and parquet. In jsonl and parquet a dot walks into objects,
  // "meta.source" to the source of meta, unless there is a key with the dot in it.
  std::string text_field = "text";
  std::string id_field = {};  // empty: ordinals
  bool fields_named = false;  // by the user: standard input is jsonl then, also where the name is the default
  std::vector<std::string> extra_fields =
      {};  // what else a reader is asked for; nothing that has no fields may be read
  std::uint64_t max_doc_bytes = std::uint64_t{64} << 20;
  std::string standard_input = {};  // a file to read where "-" is named; empty: the standard input of this process
  bool binary = false;              // take files with a NUL in their first 8 KiB too
  bool strict = false;              // throw Error(bad_input) at the first bad record
  // A file or folder that the system fails to open, list or read ends the run with Error(io), so that nothing is lost
  // without a word. With this it is passed over, as a whole, and named in ReadReport::unreadable. Costs a second reading.
  bool skip_unreadable = false;
  // Whether nothing is named.
  bool empty() const { return paths.empty() && documents == nullptr; }
  // Of an earlier reading of the same input: passed over unread, so that this one finds the same documents. In byte order.
  std::vector<std::string> known_unreadable = {};
};

// A record that could not be used: where it stood and why.
struct BadRecord {
  std::string path;
  std::uint64_t line = 0;  // from 1, in parquet the row; 0 where the input has no lines
  std::string reason;
};

struct ReadReport {
  std::uint64_t files = 0;       // opened and read
  std::uint64_t bytes = 0;       // read from disk, before decompression
  std::uint64_t text_bytes = 0;  // of the documents
  std::uint64_t documents = 0;
  std::uint64_t bad_records = 0;
  std::uint64_t hidden_skipped = 0;   // files and folders whose name begins with a dot
  std::uint64_t binary_skipped = 0;   // files with a NUL in their first 8 KiB
  std::uint64_t special_skipped = 0;  // links, sockets, devices found in folders
  std::uint64_t other_skipped = 0;    // records of web archives that hold no page: requests, images, errors
  std::vector<BadRecord> examples;    // the first kMaxExamples bad records in input order
  std::vector<BadRecord> unreadable;  // every file and folder that skip_unreadable passed over, in input order

  static constexpr std::size_t kMaxExamples = 10;
};

}  // namespace refrain
