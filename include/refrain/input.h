// Options that say where documents come from and how they are read, and the report on reading: bad records and
// skipped files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/context.h"
#include "refrain/version.h"

namespace refrain::corpus {
class Listing;
}

namespace [[gnu::visibility("default")]] refrain {

class DocumentStream;  // refrain/documents.h

enum class Format {
  automatic,  // chosen by the file's name, in any case: .jsonl, .ndjson, .jsonlines, .ldjson, .jl, .csv, .tsv, .warc,
              // .wet, .wat, .arc, .parquet, .pq, .arrow, .feather, .ipc. A .json file is jsonl, json or one document,
              // depending on its content. A file with the content of a mailbox is one if it was named as an input, or
              // has a name that is usual for mailboxes. Any other file is one document. Standard input is jsonl if a
              // field is named, else lines
  files,      // every file is one document, with its path as the id
  lines,      // every line is one document, even if empty, with its ordinal as the id
  jsonl,      // every line is one JSON object; blank lines are skipped
  csv,        // RFC 4180 with a header row; a quoted field may contain commas, quotes and line breaks
  tsv,        // like csv, with tabs in place of commas
  warc,       // a web archive (WARC or ARC): the text of its pages; the id is the WARC-Target-URI, the fields are the
              // headers
  parquet,    // every row is one document; requires the Parquet module
  json,       // an array of JSON objects, or objects one after the other, over any number of lines
  mbox,       // a mailbox: every message is one document; the id is the Message-ID, the fields are the headers
};

// In the order of Format.
std::vector<std::string_view> format_names();

// The part that is read of a page, that is, of HTML files and of pages in web archives.
enum class HtmlPart {
  main,  // the main content, without navigation, headers and footers, as far as these can be recognized
  text,  // all text that the page shows
  raw,   // the markup
};

// In the order of HtmlPart.
std::vector<std::string_view> html_part_names();

// The part that is read of a message, that is, of e-mail files and of messages in mailboxes.
enum class ComparedMail {
  body,     // the subject, the text, and a line for each attachment
  headers,  // From, To, Cc and Date, followed by the same
};

// In the order of ComparedMail.
std::vector<std::string_view> compared_mail_names();

// Each input is a file, a folder or "-" for standard input. Folders are read recursively, with names in byte order;
// hidden files and files that are not text are skipped and listed; links are followed, even out of the folder. Files
// may be compressed with gzip, zstd, xz, bzip2 or lz4, whatever their names; tar and ZIP archives are read like
// folders.
struct InputOptions {
  std::vector<std::string> paths = {};
  // In place of paths: documents that the caller holds in memory, with their own ids and fields.
  std::shared_ptr<DocumentStream> documents = {};
  // The contents of the folders, by list_input(). Null: each walk lists them again.
  std::shared_ptr<const corpus::Listing> listing = {};
  Format format = Format::automatic;
  // Fields are keys in jsonl and columns in csv, tsv and parquet. In jsonl and parquet, a dot leads into an object:
  // "meta.source" is the field "source" of "meta", unless there is a key "meta.source".
  std::string text_field = {};  // empty: "text"; naming one says that the input has fields (see Format::automatic)
  std::string id_field = {};    // empty: ids are ordinals
  // Makes the id field optional: a record without it is identified by its file and position, "a.jsonl:1234", instead
  // of being a bad record; inputs that have ids of their own keep them. For a field that was not requested but found
  // by survey_input().
  bool id_optional = false;
  // Further fields for the reader to read. Inputs without fields are then rejected.
  std::vector<std::string> extra_fields = {};
  std::uint64_t max_doc_bytes = std::uint64_t{64} << 20;
  bool binary = false;  // also read files that are not text
  HtmlPart html = HtmlPart::text;
  unsigned main_version = kMainVersion;  // of HtmlPart::main; older libraries need an older one
  ComparedMail compare = ComparedMail::body;
  // Read a word that is hyphenated at the end of a line as one word: "gen-" and "eration" as "generation".
  bool join_hyphens = false;
  // The character between the columns of csv. 0: the one of , ; tab | with which the header contains the text field,
  // as in files from most spreadsheet programs.
  char delimiter = 0;
  // The charset of the files, as iconv names it ("koi8-r"). Empty: the one that a byte order mark or the page
  // declares, else UTF-8, or windows-1252 for whole files that are not UTF-8. Records that were converted are written
  // back as UTF-8.
  std::string charset = {};
  // Read whole files byte for byte: HTML with its markup; e-mail, manual pages and mailboxes as they are stored;
  // other charsets without conversion.
  bool as_is = false;
  bool strict = false;  // throw Error(bad_input) at the first bad record
  // Normally, a file or folder that cannot be opened, listed or read ends the run with Error(io), so that nothing is
  // lost silently. With this option it is skipped as a whole and listed in ReadReport::unreadable. Every file is then
  // read twice.
  bool skip_unreadable = false;
  // The path of a file in which every skipped file is listed: path, kind and reason, as docs/format.md describes
  // skipped.tsv. Empty: none. Verbs that write a folder write the list there instead.
  std::string skipped = {};
  std::string text_name() const { return text_field.empty() ? "text" : text_field; }
  // Whether neither paths nor documents are given.
  bool empty() const { return paths.empty() && documents == nullptr; }
};

// A record that could not be used: its location, and the reason.
struct BadRecord {
  std::string path;
  std::uint64_t line = 0;  // counted from 1; in parquet, the row; 0 if the input has no lines
  std::string reason;
};

// A file that was not read, or a folder whose contents were not read.
struct SkippedFile {
  std::string path;
  std::string kind;    // "PDF document", "hidden file", "dangling link"
  std::string reason;  // "not text; convert to text first, for example with pdftotext"
};

// The skipped files of one kind.
struct SkippedKind {
  std::string kind;
  std::uint64_t files = 0;
  std::vector<BadRecord> examples = {};  // the first kMaxExamples, in byte order of paths; their `line` is 0

  static constexpr std::size_t kMaxExamples = 3;
  // The kind of paths skipped because of skip_unreadable.
  static constexpr const char* kUnreadable = "unreadable path";
  // The kind of a file of records in a folder if none of its records could be read, because it has no text column or
  // is damaged.
  static constexpr const char* kUnusable = "unusable file";
};

// The number of files that were converted to UTF-8 from one charset.
struct RecodedFiles {
  std::string charset;
  std::uint64_t files = 0;
};

struct ReadReport {
  std::uint64_t files = 0;       // that were opened and read
  std::uint64_t bytes = 0;       // read from disk, before decompression
  std::uint64_t text_bytes = 0;  // of the documents
  std::uint64_t documents = 0;
  std::uint64_t bad_records = 0;
  std::vector<SkippedKind> skipped;        // everything that was not read, by kind, most frequent first
  std::uint64_t hidden_skipped = 0;        // of these: files and folders that are hidden, such as those whose names
                                           // begin with a dot
  std::uint64_t binary_skipped = 0;        // of these: files that are not text, judged by their first 8 KiB
  std::uint64_t special_skipped = 0;       // of these: sockets, devices, links that lead nowhere or to files that are
                                           // read anyway
  std::uint64_t pages = 0;                 // whole files that are HTML, of which the text was read, not the markup
  std::uint64_t mails = 0;                 // messages: whole files that are e-mail, and the messages in mailboxes
  std::uint64_t manual_pages = 0;          // whole files that are manual pages (troff), of which the text was read
  std::uint64_t recoded = 0;               // files that are not UTF-8, and were converted
  std::vector<RecodedFiles> recoded_from;  // the same by charset, in the order in which the charsets were met
  std::uint64_t replaced = 0;              // characters that do not exist in their charset, and became U+FFFD
  std::uint64_t surrogates = 0;            // halves of surrogate pairs in JSON, read as U+FFFD
  std::uint64_t other_skipped = 0;         // web archive records without a page: requests, images, errors
  std::vector<BadRecord> examples;         // the first kMaxExamples bad records, in input order
  std::vector<BadRecord> unreadable;       // every file and folder skipped by skip_unreadable, in input order

  static constexpr std::size_t kMaxExamples = 10;

  std::uint64_t skipped_files() const {
    std::uint64_t files_skipped = 0;
    for (const SkippedKind& kind : skipped) files_skipped += kind.files;
    return files_skipped;
  }
};

// A survey of the input before it is read: the kinds of files, and a field that can serve as the records' id.
struct InputSurvey {
  struct Kind {
    std::string name;     // "JSONL", "HTML"; in the plural if there is one: "documents"
    std::string packing;  // "zstd", by the file's name; empty if it is not compressed
    std::uint64_t files = 0;
  };
  std::vector<Kind> kinds;  // most frequent first
  std::uint64_t files = 0;
  bool all = true;            // false: there are more files than were counted
  bool records = false;       // some files have records with fields
  std::string id_field = {};  // "id", "url" or "doc_id": every record examined has a distinct value; else empty
};

// Goes by file names, and reads the first records of some files. The survey is empty if the input is standard input
// or documents in memory. Bad records and damaged files are not reported here: the verb that reads the input reports
// them.
InputSurvey survey_input(const InputOptions& options, const Context& context);

// Lists the folders of the input, for InputOptions::listing; null if the listing needs too much of the memory. For one
// run only: files that are added later are not in it.
std::shared_ptr<const corpus::Listing> list_input(const InputOptions& options, const Context& context);

}  // namespace refrain
