#include "pipeline/report_parts.h"

#include "refrain/version.h"

namespace refrain {

std::string_view name_of(TokenizerKind tokenizer) {
  return tokenizer_names()[static_cast<std::size_t>(tokenizer)];
}

void write_strings(JsonWriter& json, const char* name, const std::vector<std::string>& strings) {
  json.key(name).begin_array();
  for (const std::string& text : strings) json.value(text);
  json.end_array();
}

void write_input(JsonWriter& json, const InputOptions& input) {
  write_strings(json, "input", input.paths);
  static constexpr const char* kFormats[] = {"auto", "files", "lines", "jsonl", "csv", "tsv", "warc", "parquet"};
  json.field("format", kFormats[static_cast<std::size_t>(input.format)]);
  json.field("text_field", input.text_field);
  json.field("id_field", input.id_field);
  json.field("max_doc_bytes", input.max_doc_bytes);
  json.field("binary", input.binary);
}

void write_read(JsonWriter& json, const ReadReport& read) {
  json.field("files", read.files);
  json.field("documents", read.documents);
  json.field("text_bytes", read.text_bytes);
  json.field("bad_records", read.bad_records);
  json.field("hidden_skipped", read.hidden_skipped);
  json.field("binary_skipped", read.binary_skipped);
  json.field("special_skipped", read.special_skipped);
  json.field("other_skipped", read.other_skipped);
  json.key("bad_record_examples").begin_array();
  for (const BadRecord& bad : read.examples) {
    json.begin_object().field("path", bad.path).field("line", bad.line).field("reason", bad.reason).end_object();
  }
  json.end_array();
}

void write_stages(JsonWriter& json, const std::vector<StageCost>& stages) {
  json.key("stages").begin_array();
  for (const StageCost& stage : stages) {
    json.begin_object().field("stage", stage.stage).field("seconds", stage.seconds).field("bytes", stage.bytes);
    if (stage.memory_bytes != 0) json.field("memory_bytes", stage.memory_bytes);
    json.end_object();
  }
  json.end_array();
}

void begin_report(JsonWriter& json, std::string_view verb) {
  json.begin_object();
  json.field("verb", verb);
  json.field("version", kVersion);
}

}  // namespace refrain
