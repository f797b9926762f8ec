// ngrams check: checks that an index is complete and consistent.
#include "base/progress.h"
#include "verbs/ngrams/index.h"

namespace refrain {

NgramsCheckReport check_ngrams(const std::filesystem::path& index, const Context& context) {
  const Stopwatch watch;
  const std::unique_ptr<ngram::IndexReader> reader = verbs::ngrams::open_ngrams(index, context);
  Progress progress(context, "check", "bytes", reader->bytes());
  reader->check([&](std::uint64_t bytes) { progress.add(bytes); });
  progress.finish();
  const ngram::IndexSizes& sizes = reader->sizes();
  return {.documents = sizes.documents,
          .entries = sizes.entries,
          .places = sizes.places,
          .bytes = reader->bytes(),
          .seconds = watch.seconds()};
}

}  // namespace refrain
