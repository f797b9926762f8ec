// ngrams build: every n-gram that occurs m times or more, into an index.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/progress.h"
#include "base/threads.h"
#include "corpus/reader.h"
#include "ngram/gram_text.h"
#include "ngram/index_writer.h"
#include "pipeline/output_dir.h"
#include "refrain/error.h"
#include "refrain/ngrams.h"
#include "refrain/report_json.h"
#include "text/tokenizer.h"

namespace refrain {

namespace {

// All n-grams with all their places, in memory: the slow and obvious way.
struct Collected {
  std::map<std::string, std::vector<std::pair<DocId, std::uint64_t>>> places;
  std::vector<std::uint64_t> tokens;  // of each document
  std::vector<std::optional<std::string>> ids;
  std::uint64_t grams = 0;
};

void collect(Collected& all, const Tokenizer& tokenizer, std::string_view text, unsigned n) {
  const DocId document = all.tokens.size();
  TokenBlock block;
  std::deque<std::string> window;
  std::uint64_t tokens = 0;
  for (std::size_t position = 0; position < text.size();) {
    position = tokenizer.next(text, position, block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      window.emplace_back(block.normal(i));
      ++tokens;
      if (window.size() < n) continue;
      std::string gram = window.front();
      for (std::size_t w = 1; w < n; ++w) gram += ' ' + window[w];
      all.places[gram].emplace_back(document, tokens - n);
      ++all.grams;
      window.pop_front();
    }
  }
  all.tokens.push_back(tokens);
}

IndexSizes write(const Collected& all, const NgramsOptions& options, const std::filesystem::path& folder) {
  IndexWriter writer(folder, {.n = options.n, .m = options.m, .tokenizer = options.tokenizer});
  for (std::size_t i = 0; i < all.tokens.size(); ++i)
    writer.add_document(all.ids[i] ? std::optional<std::string_view>(*all.ids[i]) : std::nullopt, all.tokens[i]);
  using Gram = decltype(Collected::places)::value_type;
  std::vector<std::pair<std::uint64_t, const Gram*>> order;
  for (const Gram& gram : all.places)
    if (gram.second.size() >= options.m) order.emplace_back(key_of_text(gram.first, options.n).value(), &gram);
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second->first) < std::tie(b.first, b.second->first);
  });
  for (const auto& [key, gram] : order) {
    writer.begin_gram(key, gram->first);
    for (const auto& [document, token] : gram->second) writer.add_place(document, token);
    writer.end_gram();
  }
  return writer.finish(all.grams);
}

}  // namespace

std::vector<std::string_view> ngram_algorithm_names() {
  return {"auto", "memory", "disk", "hash", "spex", "spex-log", "blocked", "location"};
}

NgramsReport build_ngrams(const NgramsOptions& options, const Context& context) {
  if (options.n < 1 || options.n > kMaxNgramTokens)
    throw Error(Errc::invalid_argument, fmt::format("-n: must be from 1 to {}", kMaxNgramTokens));
  if (options.m < 2) throw Error(Errc::invalid_argument, "-m: must be at least 2");
  const Stopwatch watch;
  MemoryBudget budget(context);
  OutputDir output(options.output, options.force);
  NgramsReport report;
  report.algorithm = options.algorithm;
  report.threads = thread_count(context);
  report.memory_bytes = budget.ceiling();
  report.passes = 1;

  Collected all;
  const std::unique_ptr<const Tokenizer> tokenizer = make_tokenizer(options.tokenizer);
  report.read = read_documents(options.input, context, budget, [&](unsigned /*worker*/, Batch& batch) -> InOrder {
    auto texts = std::make_shared<std::vector<std::string>>();
    for (std::size_t i = 0; i < batch.texts.size(); ++i) texts->emplace_back(batch.texts[i]);
    return [&, texts, ids = std::make_shared<BatchIds>(std::move(batch.ids))](DocId /*first*/) {
      for (std::size_t i = 0; i < texts->size(); ++i) {
        collect(all, *tokenizer, (*texts)[i], options.n);
        all.ids.emplace_back(ids->ordinals ? std::nullopt : std::optional<std::string>((*ids)[i]));
      }
    };
  });
  report.stages.push_back({"read", watch.seconds(), report.read.bytes});

  const Stopwatch writing;
  const IndexSizes sizes = write(all, options, output.staging());
  for (const char* name : {kGramsName, kPlacesName, kDocumentsName}) output.add(name);
  report.documents = sizes.documents;
  report.tokens = sizes.tokens;
  report.grams = sizes.grams;
  report.entries = sizes.entries;
  report.places = sizes.places;
  report.grams_bytes = sizes.grams_bytes;
  report.places_bytes = sizes.places_bytes;
  report.documents_bytes = sizes.documents_bytes;
  report.stages.push_back({"write", writing.seconds(), sizes.grams_bytes + sizes.places_bytes + sizes.documents_bytes});
  report.seconds = watch.seconds();
  report.peak_rss_bytes = peak_rss_bytes();
  OutputFile summary = output.create(kSummaryName);
  summary.write(to_json(options, report));
  summary.close();
  output.publish();
  return report;
}

}  // namespace refrain
