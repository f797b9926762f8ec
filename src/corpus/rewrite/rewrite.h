// Writes the input again, in its own format, with records or parts of their texts removed, or with fields added.
//
// Everything else stays byte for byte the same: other fields, headers, blank lines, line endings, bad records. The kept
// part of a text stays as it was written, including escapes and quotes. Reading the result gives the cut texts of the
// kept records, in the same order. If a format would not ensure this by itself, the necessary minimum is added:
//   lines        a line break after a last line that became empty; a second carriage return after a text that now ends
//                in one
//   lines, jsonl a byte order mark before one that is now at the beginning of the file
//   csv, tsv     quotes around a field that now needs them
//   jsonl        U+FFFD for each remaining byte of a character that was cut in part, because JSON must be UTF-8
//
// Web archives and mailboxes can only lose whole records; a cut inside one throws Error(unsupported). Each record of
// a web archive is compressed separately.
//
// A dropped JSON value takes the comma and the white space on one side with it, so an array stays an array.
//
// A dropped record takes its line or its row with it; if it is a whole file, the file is not written. A file of
// records with none left is still written: empty, or with only its header.
//
// Compressed files are compressed again with the same method; those in which nothing changed are copied. A whole file
// that is a bad record (too long or damaged) is copied, unless it cannot be read, or is a damaged archive or in one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/budget.h"
#include "corpus/files/walk.h"
#include "corpus/formats/edits.h"
#include "corpus/source/reader.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

struct RewriteReport {
  std::uint64_t files = 0;
  std::uint64_t documents = 0;      // passed to CutDocument
  std::uint64_t dropped = 0;        // of these: dropped
  std::uint64_t dropped_bytes = 0;  // of their texts
  std::uint64_t changed = 0;        // kept, with a part removed
  std::uint64_t emptied = 0;        // of these: nothing is left of the text
  std::uint64_t removed_bytes = 0;  // of the texts that were kept
  std::uint64_t written_bytes = 0;  // to disk, after compression
};

// Throws Error(invalid_argument) for an input that cannot be read a second time: standard input, or a pipe. With
// `cuts`, throws Error(unsupported) for a web archive or a mailbox, if its name shows that. For callers that read
// first and rewrite later, and need to know in advance.
void check_rewritable(const SourceOptions& options, bool cuts);
// The same, and also checks the content of folders. With `adds`, throws Error(invalid_argument) for files to which
// fields cannot be added.
void check_rewritable(const SourceOptions& options, const Context& context, bool cuts, bool adds);

// Writes into `folder`, which must exist and be empty. An input file becomes a file of the same name; an input folder
// becomes a folder of the same name with the files that were read in it. If several inputs have the same name, the
// second is named name-2 (a file: name-2.jsonl.gz), and so on. Skipped files (hidden, binary, special) are not
// written. Everything is synced to disk when this returns; after an exception `folder` holds a part of it.
//
// Throws what read_documents and check_rewritable throw, Error(over_budget) if the disk is full, and what `cut`
// throws. With names in `annotations`: Error(invalid_argument) for lines, whole files, web archives, mailboxes, and a
// record that already has one of them; Error(bad_input) for a row that is longer than its header.
RewriteReport rewrite_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                                const std::filesystem::path& folder, const CutDocument& cut,
                                const Annotations& annotations = {});

// The same with `tuning`, for tests that force unusual pieces.
RewriteReport rewrite_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                                const std::filesystem::path& folder, const CutDocument& cut, const ReaderTuning& tuning,
                                const Annotations& annotations = {});

// The names of the input files when they are written again.
//
// Immutable. Names depend only on the paths, not on the content.
class OutputNames {
 public:
  explicit OutputNames(const InputOptions& options);

  // A relative path without "." and "..", so it never leaves the output folder. Two inputs of one run never have the
  // same name.
  std::string of(const Input& input) const;

 private:
  std::vector<std::string> paths_;
  std::vector<std::string> names_;  // one per path
};

}  // namespace refrain::corpus
