// ngrams of documents in memory: builds the index in a temporary folder and returns its rows.
#include "refrain/memory.h"

#include <algorithm>

#include "base/files/temp_space.h"
#include "base/files/tempdir.h"
#include "base/threads.h"
#include "corpus/source/stream.h"
#include "verbs/ngrams/index.h"

namespace refrain {

NgramsResult ngrams(DocumentStream& documents, const NgramsOptions& options, const Context& context) {
  NgramsOptions over = options;
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
