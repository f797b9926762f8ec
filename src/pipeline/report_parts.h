// Parts that the JSON of several reports shares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "refrain/fingerprint.h"
#include "refrain/input.h"
#include "refrain/stage_cost.h"

namespace refrain {

std::string_view name_of(TokenizerKind tokenizer);
void write_strings(JsonWriter& json, const char* name, const std::vector<std::string>& strings);
void write_input(JsonWriter& json, const InputOptions& input);
void write_read(JsonWriter& json, const ReadReport& read);
void write_stages(JsonWriter& json, const std::vector<StageCost>& stages);
void begin_report(JsonWriter& json, std::string_view verb);

}  // namespace refrain
