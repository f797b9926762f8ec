// ngrams build: indexes all n-grams that occur at least m times, by one of eight algorithms, which all write the
// same bytes.
#include "verbs/ngrams/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/budget.h"
#include "base/files/temp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "corpus/files/listing.h"
#include "corpus/source/join_hyphens.h"
#include "corpus/source/reader.h"
#include "engines/ngram/index/writer.h"
#include "refrain/error.h"
#include "refrain/memory.h"
#include "refrain/ngrams.h"
#include "refrain/report_json.h"
#include "verbs/ngrams/index.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/skipped.h"

namespace refrain {

namespace {

void check(const NgramsOptions& options) {
  if (options.n < 1 || options.n > kMaxNgramTokens)
    throw Error(Errc::invalid_argument, fmt::format("`n` {}: must be from 1 to {} tokens", options.n, kMaxNgramTokens));
  if (options.m < 2) throw Error(Errc::invalid_argument, fmt::format("`m` {}: must be 2 or more", options.m));
}

// Every worker takes a few megabytes, and the remaining memory is what saves passes. If memory is short, fewer
// workers are faster.
Context with_fewer_threads(Context context) {
  constexpr std::uint64_t kWorkerBytes = std::uint64_t{16} << 20U;
  const std::uint64_t memory = context.memory_bytes != 0 ? context.memory_bytes : default_memory_bytes();
  context.threads = static_cast<unsigned>(std::clamp<std::uint64_t>(memory / kWorkerBytes, 1, thread_count(context)));
  return context;
}

}  // namespace

std::vector<std::string_view> ngram_algorithm_names() {
  return {"auto", "memory", "disk", "hash", "spex", "spex-log", "blocked", "location"};
}

NgramsReport build_ngrams(const NgramsOptions& asked, const Context& given) {
  check(asked);
  NgramsOptions options = asked;
  const Stopwatch watch;
  const Context context = with_fewer_threads(given);
  MemoryBudget budget(context);
  corpus::refuse_joined(options.input);
  const Reservation listing = corpus::reserve_listing(options.input, budget);
  TempSpace temp(context);
  NgramsReport report;
  report.algorithm = options.algorithm;
  report.threads = thread_count(context);
  report.memory_bytes = budget.ceiling();
  verbs::run::OutputDir output(
      {.target = options.output,
       .force = options.force,
       .verb = "ngrams build",
       .outputs = {ngram::kGramsName, ngram::kPlacesName, ngram::kDocumentsName, verbs::run::kSkippedName},
       .inputs = options.input.paths});
  verbs::run::list_skipped(options.input, output);
  ngram::IndexWriter writer(output.staging(), {.n = options.n, .m = options.m, .tokenizer = options.tokenizer});
  for (const char* name : {ngram::kGramsName, ngram::kPlacesName, ngram::kDocumentsName}) output.add(name);
  if (options.algorithm == NgramAlgorithm::automatic)
    verbs::ngrams::build_auto(options, context, budget, temp, writer, report);
  else
    verbs::ngrams::build_by_literature(options, context, budget, temp, writer, report);
  const ngram::IndexSizes sizes = writer.finish(report.grams);
  report.entries = sizes.entries;
  report.places = sizes.places;
  report.grams_bytes = sizes.grams_bytes;
  report.places_bytes = sizes.places_bytes;
  report.documents_bytes = sizes.documents_bytes;
  report.temp_peak_bytes = temp.peak_bytes();
  report.seconds = watch.seconds();
  report.peak_rss_bytes = peak_rss_bytes();
  output.publish(to_json(options, report));
  return report;
}

// Builds the index in a temporary folder and returns its rows.
NgramsResult ngrams(DocumentStream& documents, const NgramsOptions& options, const Context& context) {
  NgramsOptions over = options;
  corpus::refuse_joined(options.input);
  over.input = corpus::over_stream(options.input, documents, options.output);
  const TempDir folder(TempSpace(context).folder(), "refrain-ngrams");
  over.output = folder.path() / "index";
  NgramsResult result;
  result.report = build_ngrams(over, context);
  const std::unique_ptr<ngram::IndexReader> index = verbs::ngrams::open_ngrams(over.output, context);
  index->rewind();
  for (ngram::GramEntry entry; index->next(entry);) {
    throw_if_stopped(context);
    Ngram& row = result.ngrams.emplace_back();
    row.text = entry.text;
    row.count = entry.count;
    row.documents = entry.documents;
    ngram::PlaceCursor places = index->places(entry);
    for (ngram::GramPlace place; places.next(place);) row.places.push_back({place.document, place.token});
  }
  std::ranges::sort(result.ngrams, {}, &Ngram::text);
  return result;
}

}  // namespace refrain
