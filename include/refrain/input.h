// Where documents come from, and what was wrong with bad records.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace [[gnu::visibility("default")]] refrain {

class DocumentStream;  // refrain/documents.h

enum class Format {
  automatic,  // by name, in any case: .jsonl, .ndjson, .jsonlines, .ldjson, .jl, .csv, .tsv, .warc, .wet, .wat, .arc,
              // .parquet, .pq, .arrow, .feather, .ipc; .json by its content: jsonl, json or a document; a mailbox by
              // its content, where it is named, or its name is one that mailboxes have; any other file is one
              // document; standard input: jsonl if a field is named, else lines
  files,      // every file is one document; its id is its path
  lines,      // every line is one document, even if empty; its id is its ordinal
  jsonl,      // every line is one JSON object; blank lines are skipped
  csv,        // RFC 4180 with a header row; a quoted field may contain commas, quotes and line breaks
  tsv,        // the same, with tabs
  warc,     // a web archive (WARC or ARC): the text of its pages; the id is the WARC-Target-URI, and fields are headers
  parquet,  // every row is one document; needs the Parquet module
  json,     // an array of JSON objects, or objects one after the other, over any number of lines
  mbox,     // a mailbox: every message is one document; the id is the Message-ID, and fields are headers
};

// What is read of a page: of HTML files, and of pages in web archives.
enum class HtmlPart {
  main,  // its content: without navigation, headers and footers, as far as the page tells them apart
  text,  // all that it shows
  raw,   // its markup
};

// Each input is a file, a folder (read recursively, names in byte order; hidden files and those that are no text are
// skipped and counted, links followed out of the folder) or "-" for standard input. Files may be compressed with gzip,
// zstd, xz, bzip2 or lz4, whatever their names; tar and ZIP archives are read like folders.
struct InputOptions {
  std::vector<std::string> paths = {};
  // In place of paths: documents that the caller holds, with ids and fields of their own.
  std::shared_ptr<DocumentStream> documents = {};
  Format format = Format::automatic;
  // Fields are keys in jsonl and columns in csv, tsv and parquet. In jsonl and parquet a dot enters objects:
  // "meta.source" is the source of meta, unless there is a key "meta.source".
  std::string text_field = {};  // empty: "text"; to name one says that the input has fields (see Format::automatic)
  std::string id_field = {};    // empty: ordinals
  // A record without it is named by its file and place, "a.jsonl:1234", instead of being a bad one; inputs that have ids of
  // their own keep them. For a field that was found, not asked for (see refrain/survey.h).
  bool id_optional = false;
  std::vector<std::string> extra_fields =
      {};  // more fields for the reader to read; inputs that have no fields are then refused
  std::uint64_t max_doc_bytes = std::uint64_t{64} << 20;
  bool binary = false;  // also read files that are no text
  HtmlPart html = HtmlPart::text;
  // Between the columns of csv; 0: the one of , ; tab | that makes the header have the text field, as in most spreadsheets.
  char delimiter = 0;
  // What files are written in, as iconv knows it ("koi8-r"); empty: what a byte order mark or a page says, else UTF-8, or
  // for whole files that are no UTF-8 windows-1252. Records that are converted are written again as UTF-8.
  std::string charset = {};
  bool as_is = false;   // whole files are their bytes: HTML with its markup, e-mail, manual pages and mailboxes as they
                        // are stored, other charsets unconverted
  bool strict = false;  // throw Error(bad_input) at the first bad record
  // A file or folder that cannot be opened, listed or read ends the run with Error(io), so nothing is lost silently.
  // With this it is skipped as a whole and listed in ReadReport::unreadable. Every file is then read twice.
  bool skip_unreadable = false;
  std::string text_name() const { return text_field.empty() ? "text" : text_field; }
  // Whether nothing is named.
  bool empty() const { return paths.empty() && documents == nullptr; }
};

// Files that are no text, of one kind.
struct SkippedKind {
  std::string kind;    // "PDF document"
  std::string advice;  // what to do about them; may be empty
  std::uint64_t files = 0;
  std::vector<std::string> examples = {};  // the first kMaxExamples paths in input order

  static constexpr std::size_t kMaxExamples = 3;
};

// A record that could not be used: where it was, and why.
struct BadRecord {
  std::string path;
  std::uint64_t line = 0;  // from 1; in parquet the row; 0 if the input has no lines
  std::string reason;
};

// Files that were converted to UTF-8, by what they were in.
struct RecodedFiles {
  std::string charset;
  std::uint64_t files = 0;
};

struct ReadReport {
  std::uint64_t files = 0;       // opened and read
  std::uint64_t bytes = 0;       // read from disk, before decompression
  std::uint64_t text_bytes = 0;  // of the documents
  std::uint64_t documents = 0;
  std::uint64_t bad_records = 0;
  std::uint64_t hidden_skipped = 0;        // files and folders whose names begin with a dot
  std::uint64_t binary_skipped = 0;        // files that are no text, by their first 8 KiB
  std::vector<SkippedKind> binary;         // the same by kind, as they were met
  std::uint64_t pages = 0;                 // whole files that are HTML: their text was read, not their markup
  std::uint64_t mails = 0;                 // whole files that are e-mail: the same
  std::uint64_t manual_pages = 0;          // whole files that are troff: the same
  std::uint64_t recoded = 0;               // files that are not UTF-8, and were converted
  std::vector<RecodedFiles> recoded_from;  // the same by charset, as they were met
  std::uint64_t replaced = 0;              // characters that their charset did not know: they became U+FFFD
  std::uint64_t surrogates = 0;            // halves of surrogate pairs in JSON, read as U+FFFD
  std::uint64_t special_skipped = 0;       // sockets, devices, links that lead nowhere or to what is read
  std::uint64_t other_skipped = 0;         // web archive records without a page: requests, images, errors
  std::vector<BadRecord> examples;         // the first kMaxExamples bad records in input order
  std::vector<BadRecord> unreadable;       // every file and folder skipped by skip_unreadable, in input order

  static constexpr std::size_t kMaxExamples = 10;
};

}  // namespace refrain
