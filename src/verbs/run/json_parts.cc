#include "verbs/run/json_parts.h"

#include "base/hash.h"
#include "refrain/options.h"
#include "refrain/version.h"
#include "verbs/run/option_rows.h"

namespace refrain::verbs::run {

std::string_view name_of(TokenizerKind tokenizer) {
  return tokenizer_names()[static_cast<std::size_t>(tokenizer)];
}

void begin_report(JsonWriter& json, std::string_view verb) {
  json.begin_object().field("verb", verb).field("version", kVersion);
}

std::string end_report(JsonWriter json) {
  json.end_object().end_object();
  return std::move(json).take();
}

std::string end_report(JsonWriter json, double seconds) {
  json.key("run").begin_object().field("seconds", seconds);
  return end_report(std::move(json));
}

std::string end_report(JsonWriter json, const ReadReport& read, double seconds) {
  json.key("run").begin_object().field("bytes_read", read.bytes).field("seconds", seconds);
  return end_report(std::move(json));
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

void write_device(JsonWriter& json, const DeviceReport& device) {
  const bool used = !device.name.empty() && device.name != "cpu";
  if (!used && device.failed.empty()) return;
  json.key("device").begin_object();
  if (!device.failed.empty()) json.field("failed", device.failed);
  if (used) {
    json.field("name", device.name).field("documents", device.documents).field("left_to_cpu", device.left_to_cpu);
    json.field("bytes", device.bytes).field("staging_seconds", device.staging_seconds);
    json.field("waiting_seconds", device.waiting_seconds).field("cpu_seconds", device.cpu_seconds);
    json.field("copy_seconds", device.copy_seconds).field("kernel_seconds", device.kernel_seconds);
    if (!device.bound_by.empty()) json.field("bound_by", device.bound_by);
    json.field("joined", device.joined);
  }
  json.end_object();
}

void write_skipped(JsonWriter& json, const ReadReport& read) {
  json.field("skipped", read.skipped_files());
  json.key("skipped_kinds").begin_array();
  for (const SkippedKind& kind : read.skipped) {
    json.begin_object().field("kind", kind.kind).field("files", kind.files).key("examples").begin_array();
    for (const BadRecord& file : kind.examples)
      json.begin_object().field("path", file.path).field("reason", file.reason).end_object();
    json.end_array().end_object();
  }
  json.end_array();
}

void write_read(JsonWriter& json, const ReadReport& read) {
  visit_fields(read, [&]<class T>(std::string_view name, const T& value) {
    if constexpr (std::is_same_v<T, std::vector<SkippedKind>>) {
      write_skipped(json, read);
    } else if constexpr (std::is_same_v<T, std::vector<RecodedFiles>>) {
      json.key(name).begin_object();
      for (const RecodedFiles& files : value) json.field(files.charset, files.files);
      json.end_object();
    } else if (name == "unreadable") {
      write_unreadable(json, read);
    } else if (name != "bytes_read") {
      write_json(json.key(name), value);
    }
  });
}

void write_unreadable(JsonWriter& json, const ReadReport& read) {
  if (read.unreadable.empty()) return;
  json.key("unreadable").begin_array();
  for (const BadRecord& file : read.unreadable)
    json.begin_object().field("path", file.path).field("reason", file.reason).end_object();
  json.end_array();
}

void write_input(JsonWriter& json, const InputOptions& input) {
  write_json(json.key("input"), input.paths);
  write_options(json, input);
}

void write_document(JsonWriter& json, const char* name, const ExplainedDocument& document) {
  json.key(name).begin_object().field("id", document.id).field("text", document.text);
  json.field("digest", to_hex(digest(document.text)));
  json.field("tokens", document.tokens).field("windows", document.windows).key("fingerprint");
  if (document.fingerprint)
    json.value(std::to_string(*document.fingerprint));
  else
    json.null();
  json.key("shared").begin_array();
  for (const ByteRange& range : document.shared) json.begin_array().value(range.begin).value(range.end).end_array();
  json.end_array();
  json.end_object();
}

}  // namespace refrain::verbs::run
