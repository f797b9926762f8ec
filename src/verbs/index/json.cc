// The reports of the index verbs as JSON.
#include <utility>

#include "base/json.h"
#include "refrain/index.h"
#include "refrain/report_json.h"
#include "verbs/run/json_parts.h"

namespace refrain {

namespace {

void write_changed(JsonWriter& json, std::uint64_t count, const std::vector<ChangedDocument>& changed) {
  json.field("changed_documents", count);
  json.key("changed").begin_array();
  for (const ChangedDocument& document : changed)
    json.begin_object().field("id", document.id).field("reason", document.reason).end_object();
  json.end_array();
}

// Writes what a run took, in total and by stage.
template <class Report>
void write_run(JsonWriter& json, const Report& report) {
  json.key("run").begin_object();
  verbs::run::write_cost(json, report);
  json.field("seconds", report.seconds);
  verbs::run::write_stages(json, report.stages);
}

// The report of the reading. If a verb gives a key of it another meaning, the key appears only once, with that meaning.
void write_read(JsonWriter& json, ReadReport read, const IndexWriteReport& report) {
  const std::uint64_t characters = std::exchange(read.replaced, report.replaced);
  verbs::run::write_read(json, read);
  json.field("replaced_characters", characters);
}
void write_read(JsonWriter& json, ReadReport read, const QueryReport& report) {
  read.documents = report.documents;
  verbs::run::write_read(json, read);
}

}  // namespace

std::string to_json(const IndexWriteReport& report, std::string_view verb) {
  JsonWriter json;
  verbs::run::begin_report(json, verb);
  write_read(json, report.read, report);  // with the documents that were replaced
  json.field("generation", report.generation).field("added", report.added).field("removed", report.removed);
  verbs::run::write_json(json.key("unknown"), report.unknown);
  json.field("tokens", report.tokens).field("posts", report.posts).field("stored_texts", report.stored_texts);
  json.field("segments", report.segments).field("merged_segments", report.merged_segments);
  json.field("index_bytes", report.index_bytes);
  write_run(json, report);
  json.field("bytes_read", report.read.bytes);
  return verbs::run::end_report(std::move(json));
}

std::string to_json(const IndexStats& stats) {
  const IndexLayout& layout = stats.layout;
  JsonWriter json;
  verbs::run::begin_report(json, "index stats");
  json.field("window", layout.window);
  json.field("blots", blot_kind_names()[static_cast<std::size_t>(layout.blots)]);
  json.field("sampling", blot_sampling_names()[static_cast<std::size_t>(layout.sampling)]);
  json.field("interleave", layout.interleave).field("blot_bits", layout.blot_bits).field("shards", layout.shards);
  json.field("tokenizer", verbs::run::name_of(layout.tokenizer));
  json.field("store_text", layout.store_text).field("pairs", layout.pairs).field("generation", stats.generation);
  json.field("documents", stats.documents).field("removed", stats.removed).field("tokens", stats.tokens);
  json.field("text_bytes", stats.text_bytes).field("distinct_blots", stats.blots).field("posts", stats.posts);
  json.field("segments", stats.segments).field("posts_bytes", stats.posts_bytes);
  json.field("documents_bytes", stats.documents_bytes).field("texts_bytes", stats.texts_bytes);
  json.field("other_bytes", stats.other_bytes).end_object();
  return std::move(json).take();
}

std::string to_json(const IndexCheckReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "index check");
  json.field("whole", report.whole());
  verbs::run::write_json(json.key("damages"), report.damages);
  json.field("repaired", report.repaired).field("rebuilt_documents", report.rebuilt_documents);
  json.field("lost_documents", report.lost_documents).field("segments", report.segments);
  json.field("documents", report.documents).field("distinct_blots", report.blots);
  json.field("posts", report.posts).field("bytes", report.bytes);
  write_changed(json, report.changed_documents, report.changed);
  return verbs::run::end_report(std::move(json), report.seconds);
}

std::string to_json(const QueryReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "index query");
  write_read(json, report.read, report);  // with the documents that were asked about
  json.field("generation", report.generation).field("shortened", report.shortened).field("tokens", report.tokens);
  json.field("candidates", report.candidates).field("compared", report.compared);
  json.field("unverified", report.unverified).field("passages", report.passages);
  json.field("occurrences", report.occurrences);
  json.key("cursor");
  if (report.cursor.empty())
    json.null();
  else
    json.value(report.cursor);
  json.field("unknown_documents", report.unknown_documents);
  verbs::run::write_json(json.key("unknown"), report.unknown);
  json.field("unknown_queries", report.unknown_queries);
  write_changed(json, report.changed_documents, report.changed);
  return verbs::run::end_report(std::move(json), report.seconds);
}

std::string to_json(const ExtractReport& report) {
  JsonWriter json;
  verbs::run::begin_report(json, "index extract");
  json.field("generation", report.generation).field("documents", report.documents).field("tokens", report.tokens);
  json.field("repeated_blots", report.blots).field("links", report.links).field("passages", report.passages);
  json.field("occurrences", report.occurrences);
  write_changed(json, report.changed_documents, report.changed);
  write_run(json, report);
  return verbs::run::end_report(std::move(json));
}

}  // namespace refrain
