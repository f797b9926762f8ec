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
// Of a web archive whole records can be left out; a cut in one is Error(unsupported). Each record is packed by itself.
//
// A record that is left out goes with its line, its row or, where it is a whole file, its file. A file of records of
// which none is left is written all the same: empty, or with its header alone.
//
// Packed files are packed again with the same method, and those in which nothing changed come out as they are. A whole
// file that was a bad record (too long, damaged, no table) is copied, unless it cannot be read at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/input.h"
#include "refrain/text.h"

namespace refrain {

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

// What to leave out of a text: `ranges`, less `offset`, ascending, disjoint and inside it; or, with `drop`, the whole
// record. Valid until the next question.
struct TextCuts {
  std::span<const ByteRange> ranges;
  std::uint64_t offset = 0;
  bool drop = false;
};

// Asks what to leave out of `text`. Called in input order, one at a time, from any thread, for every record that is not
// bad.
using CutDocument = std::function<TextCuts(DocId document, std::string_view text)>;

// A value to add to a record: null, a truth, a number or a text. In a table null is empty.
using AddedValue = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

// What the values of a name are, null aside, for a format whose columns have types. An integer may stand for a number.
enum class AddedType : std::uint8_t { text, boolean, integer, real };

// Fields to add to every record that is kept and not bad: in jsonl before its last brace, in csv and tsv as columns at
// the end, where a row that is too short for them is filled up; in parquet as columns at the end, which are null for a
// bad record.
struct Annotations {
  std::vector<std::string> names;
  // Sets the values of one record, one a name, which are null before. Called right after the CutDocument of the record.
  // Texts are valid until the next call.
  std::function<void(DocId document, std::span<AddedValue> values)> values;
  std::vector<AddedType> types = {};  // one a name; empty: all are texts
};

// Throws Error(invalid_argument) for an input that cannot be read a second time: standard input, a pipe; and with `cuts`
// Error(unsupported) for a web archive that is named as one. For those who read first and rewrite later, and want to
// know before.
void check_rewritable(const InputOptions& options, bool cuts);
// The same, and what folders hold is looked at too. With `adds` what cannot have fields added to it is
// Error(invalid_argument).
void check_rewritable(const InputOptions& options, const Context& context, bool cuts, bool adds);

// Writes into `folder`, which exists and is empty. An input that is a file becomes a file of its name, a folder becomes
// a folder of its name with what was read below it; of inputs with the same name the second is called name-2 (a file:
// name-2.jsonl.gz), and so on. What was skipped (hidden, binary, special) is not there. All is on the disk when this
// returns; after an exception `folder` holds part of it.
//
// Throws what read_documents and check_rewritable throw, Error(over_budget) for a full disk, and what `cut` throws. With
// names in `annotations`: Error(invalid_argument) for lines, whole files, web archives, and a record that has one of them already;
// Error(bad_input) for a row that is longer than its header.
RewriteReport rewrite_documents(const InputOptions& options, const Context& context, MemoryBudget& budget,
                                const std::filesystem::path& folder, const CutDocument& cut,
                                const Annotations& annotations = {});

}  // namespace refrain
