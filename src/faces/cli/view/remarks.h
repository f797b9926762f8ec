// Remarks for people: on what was read, and on a run of dedup.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"
#include "refrain/input.h"

namespace refrain::cli {

// Reports about reading an input: its size, the speed, and which files and records were skipped, bad or unreadable.

// Returns "1,234 documents (12.3 MiB of text, from 3.1 MiB in 2 files) in 0.4 s, 30.8 MiB/s".
std::string reading_text(const ReadReport& read, double seconds);

// Describes a few of the bad records, one per line, and says how many more there are.
std::vector<std::string> example_lines(const ReadReport& report);

// Returns the skipped files by kind: "12 hidden files, 1 PDF document".
std::string skipped_text(const ReadReport& report);
// Returns a line for each kind of skipped files, with a few examples and the reason.
std::vector<std::string> skipped_lines(const ReadReport& report);

// Returns the encodings that files were converted from, such as "12 files from windows-1252, 3 from utf-16", and how
// many characters could not be decoded.
std::vector<std::string> recoded_lines(const ReadReport& report);

// For standard error: what the input consists of, as in "412 files: 400 JSONL (zstd), 12 HTML; text from "text", ids
// from "id""; empty if nothing is known. `input` are the options with which it will be read.
std::string survey_remark(const InputSurvey& survey, const InputOptions& input);

// For standard error; empty if there is nothing to report. The first says how many bad records were skipped, with a few
// examples as "file:line: reason". The second lists every file that could not be read.
std::string bad_record_remark(const ReadReport& report);
std::string unreadable_remark(const ReadReport& report);
// Lists the skipped files by kind, except those of unreadable_remark(). Unless all of them are shown, or `listed` says
// that a file lists them (--skipped), it names that flag.
std::string skipped_remark(const ReadReport& report, bool listed);

// Throws Error(bad_input) if no document was read, so that a pipeline does not silently continue with no data.
void throw_if_nothing_read(const ReadReport& report);

// Remarks on a run of dedup, one line each: what it will need, before it starts, and warnings after it.

// Returns one line, and a warning if disk space may not suffice. `folder` is where the run writes.
std::vector<std::string> estimate_remarks(const DedupEstimate& estimate, std::string_view folder);

// Warns of sources that lost a large share of their documents, records that could not be read, documents without the
// field of --keep or --source-field, --keep sources without documents, and repeated ids.
std::vector<std::string> dedup_warnings(const DedupReport& report);

}  // namespace refrain::cli
