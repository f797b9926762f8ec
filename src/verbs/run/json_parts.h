// Parts of JSON reports that several verbs share.
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

// In the order of HtmlPart and ComparedMail.
inline constexpr std::string_view kHtmlNames[] = {"main", "text", "raw"};
inline constexpr std::string_view kCompareNames[] = {"body", "headers"};

std::string_view name_of(TokenizerKind tokenizer);

// Opens the object and writes the verb and the version.
void begin_report(JsonWriter& json, std::string_view verb);
void write_strings(JsonWriter& json, const char* name, const std::vector<std::string>& strings);
void write_stages(JsonWriter& json, const std::vector<StageCost>& stages);
// What the GPU did. Writes nothing if none was used and none failed.
void write_device(JsonWriter& json, const DeviceReport& device);
void write_input(JsonWriter& json, const InputOptions& input);
void write_read(JsonWriter& json, const ReadReport& read);
// The number of skipped files, and their kinds with examples.
void write_skipped(JsonWriter& json, const ReadReport& read);
// Ends the report of a verb that makes no folder.
void end_report(JsonWriter& json, const ReadReport& read, double seconds);
// The files that could not be read. Writes nothing if there are none.
void write_unreadable(JsonWriter& json, const ReadReport& read);
// A document, with what it shares with another one.
void write_document(JsonWriter& json, const char* name, const ExplainedDocument& document);

}  // namespace refrain::verbs::run
