// ngrams stats: statistics of an index and of how it was built.
#include <simdjson.h>

#include <fmt/format.h>

#include "base/files/file.h"
#include "refrain/error.h"
#include "verbs/ngrams/index.h"
#include "verbs/run/output_dir.h"

namespace refrain {

namespace {

// Reads from summary.json how the index was built. The index itself does not record it, because all algorithms
// write the same index.
void read_summary(const std::string& path, NgramsStats& stats) {
  try {
    simdjson::dom::parser parser;
    const std::string text = read_file(path);
    const simdjson::dom::element summary = parser.parse(text);
    const simdjson::dom::element run = summary["run"];
    stats.algorithm = std::string(std::string_view(run["algorithm"]));
    verbs::ngrams::visit_build(stats, [&](const char* name, auto& value) {
      if (const simdjson::error_code error = run[name].get(value)) throw simdjson::simdjson_error(error);
    });
    const simdjson::dom::array stages = run["stages"];
    for (const simdjson::dom::element stage : stages)
      stats.stages.push_back({std::string(std::string_view(stage["stage"])), stage["seconds"].get_double().value(),
                              stage["bytes"].get_uint64().value()});
  } catch (const simdjson::simdjson_error& error) {
    throw Error(Errc::corrupt, fmt::format("{}: {}; rebuild it", path, error.what()));
  }
}

}  // namespace

NgramsStats ngrams_stats(const std::filesystem::path& index, const Context& context) {
  const std::unique_ptr<ngram::IndexReader> reader = verbs::ngrams::open_ngrams(index, context);
  const ngram::IndexHead& head = reader->head();
  const ngram::IndexSizes& sizes = reader->sizes();
  NgramsStats stats;
  stats.n = head.n;
  stats.m = head.m;
  stats.tokenizer = head.tokenizer;
  stats.documents = sizes.documents;
  stats.tokens = sizes.tokens;
  stats.grams = sizes.grams;
  stats.single = sizes.grams - sizes.places;
  stats.multi = sizes.entries;
  stats.repeat = sizes.places - sizes.entries;
  stats.grams_bytes = sizes.grams_bytes;
  stats.places_bytes = sizes.places_bytes;
  stats.documents_bytes = sizes.documents_bytes;
  read_summary((index / verbs::run::kSummaryName).string(), stats);
  return stats;
}

}  // namespace refrain
