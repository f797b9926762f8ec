// Parts that several reports have in common, as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "refrain/device.h"
#include "refrain/explain.h"
#include "refrain/fingerprint.h"
#include "refrain/input.h"
#include "refrain/stage_cost.h"

namespace refrain::verbs::run {

// In the order of HtmlPart.
inline constexpr std::string_view kHtmlNames[] = {"main", "text", "raw"};
// In the order of Format.
inline constexpr std::string_view kFormatNames[] = {"auto", "files", "lines",   "jsonl", "csv",
                                                    "tsv",  "warc",  "parquet", "json",  "mbox"};

std::string_view name_of(TokenizerKind tokenizer);

// Opens the object, and tells what it is about.
void begin_report(JsonWriter& json, std::string_view verb);
void write_strings(JsonWriter& json, const char* name, const std::vector<std::string>& strings);
void write_stages(JsonWriter& json, const std::vector<StageCost>& stages);
// What a GPU did, if there was one.
void write_device(JsonWriter& json, const DeviceReport& device);
void write_input(JsonWriter& json, const InputOptions& input);
void write_read(JsonWriter& json, const ReadReport& read);
// The files that were passed over, where there are any.
// The end of the report of a verb that made no folder.
void end_report(JsonWriter& json, const ReadReport& read, double seconds);
void write_unreadable(JsonWriter& json, const ReadReport& read);
// A document and what it shares with another.
void write_document(JsonWriter& json, const char* name, const ExplainedDocument& document);

}  // namespace refrain::verbs::run
