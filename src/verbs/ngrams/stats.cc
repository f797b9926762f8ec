// ngrams stats: statistics of an index and of how it was built.
#include <simdjson.h>

#include <fmt/format.h>

#include "base/files/file.h"
#include "base/files/random_file.h"
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
    const auto number = [&](const char* name) { return run[name].get_uint64().value(); };
    stats.algorithm = std::string(std::string_view(run["algorithm"]));
    stats.passes = number("passes");
    stats.file_bytes[0] = number("f1_bytes");
    stats.file_bytes[1] = number("f2_bytes");
    stats.file_bytes[2] = number("f3_bytes");
    stats.sequence_bytes = number("sequence_bytes");
    stats.temp_peak_bytes = number("temp_peak_bytes");
    stats.peak_rss_bytes = number("peak_rss_bytes");
    stats.memory_bytes = number("memory_bytes");
    stats.threads = number("threads");
    stats.seconds = run["seconds"].get_double().value();
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
