// What is told of the reading of an input: how much, how fast, and what was skipped, bad or unreadable.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "refrain/input.h"
#include "refrain/survey.h"

namespace refrain::cli {

// "1,234 documents (12.3 MiB of text, from 3.1 MiB in 2 files) in 0.4 s, 30.8 MiB/s"
std::string reading_text(const ReadReport& read, double seconds);

// The bad records that there is room for, and how many more there are.
std::vector<std::string> example_lines(const ReadReport& report);

std::uint64_t skipped_count(const ReadReport& report);
std::string skipped_text(const ReadReport& report);
// The same, with what is known of those that are no text.
std::vector<std::string> skipped_lines(const ReadReport& report);

// What files were converted from: "12 files from windows-1252, 3 from utf-16".
std::vector<std::string> recoded_lines(const ReadReport& report);

// "412 files: 400 JSONL (zstd), 12 HTML; text from "text", ids from "id"", for standard error; empty where nothing is
// known. `input` is what will be read.
std::string survey_remark(const InputSurvey& survey, const InputOptions& input);

// For standard error; empty where there is nothing to say. How many bad records were skipped, with a few examples as
// "file:line: reason"; and every file that was passed over.
std::string bad_record_remark(const ReadReport& report);
std::string unreadable_remark(const ReadReport& report);

// Error(bad_input) where there was not a single document: whoever runs a pipeline must notice.
void throw_if_nothing_read(const ReadReport& report);

}  // namespace refrain::cli
