// Writes the input again, in its own format, with records, or parts of their texts, left out, or with fields added.
//
// Everything else comes out byte for byte: other fields, headers, blank lines, line endings, bad records. What is kept of a text comes out as it was written, escapes and quotes included. Reading the result gives
// the cut texts of the kept records, in the same order, and where a format would not say so by itself, the least is added that makes
// it say so:
//   lines        a line break behind a last line that became empty; a second carriage return behind a text that came to
//                end in one
//   lines, jsonl a byte order mark before one with which the file came to begin
//   csv, tsv     quotes around a field that came to need them
//   jsonl        a character of which a part was cut becomes U+FFFD, one a byte, for JSON is UTF-8
//
// Of a web archive or a mailbox whole records can be left out; a cut in one is Error(unsupported). Each record of an
// archive is packed by itself.
//
// Of JSON values a record that is left out goes with the comma and the white space on one side of it: an array stays one.
//
// A record that is left out goes with its line, its row or, where it is a whole file, its file. A file of records of
// which none is left is written all the same: empty, or with its header alone.
//
// Packed files are packed again with the same method, and those in which nothing changed come out as they are. A whole
// file that was a bad record (too long, damaged, no table) is copied, unless it cannot be read at all.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/budget.h"
#include "corpus/formats/edits.h"
#include "corpus/source/tuning.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

struct RewriteReport {
  std::uint64_t files = 0;
  std::uint64_t documents = 0;      // that were asked about
  std::uint64_t dropped = 0;        // of those: left out whole
  std::uint64_t dropped_bytes = 0;  // of their texts
  std::uint64_t changed = 0;        // kept, with a part left out
  std::uint64_t emptied = 0;        // of those: of their texts nothing is left
  std::uint64_t removed_bytes = 0;  // of the texts that were kept
  std::uint64_t written_bytes = 0;  // to the disk, after packing
};

// Throws Error(invalid_argument) for an input that cannot be read a second time: standard input, a pipe; and with `cuts`
// Error(unsupported) for a web archive or a mailbox that is named as one. For those who read first and rewrite later, and want to
// know before.
void check_rewritable(const SourceOptions& options, bool cuts);
// The same, and what folders hold is looked at too. With `adds` what cannot have fields added to it is
// Error(invalid_argument).
void check_rewritable(const SourceOptions& options, const Context& context, bool cuts, bool adds);

// Writes into `folder`, which exists and is empty. An input that is a file becomes a file of its name, a folder becomes
// a folder of its name with what was read below it; of inputs with the same name the second is called name-2 (a file:
// name-2.jsonl.gz), and so on. What was skipped (hidden, binary, special) is not there. All is on the disk when this
// returns; after an exception `folder` holds part of it.
//
// Throws what read_documents and check_rewritable throw, Error(over_budget) for a full disk, and what `cut` throws. With
// names in `annotations`: Error(invalid_argument) for lines, whole files, web archives, mailboxes, and a record that has one of them already;
// Error(bad_input) for a row that is longer than its header.
RewriteReport rewrite_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                                const std::filesystem::path& folder, const CutDocument& cut,
                                const Annotations& annotations = {});

// The same, cut as `tuning` says: for tests that force odd cuts.
RewriteReport rewrite_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                                const std::filesystem::path& folder, const CutDocument& cut, const ReaderTuning& tuning,
                                const Annotations& annotations = {});

}  // namespace refrain::corpus
