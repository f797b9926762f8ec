#include "verbs/ngrams/index.h"

#include <fmt/format.h>

#include <system_error>

#include "base/budget.h"
#include "base/files/path.h"
#include "base/progress.h"
#include "refrain/error.h"
#include "verbs/run/output_dir.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::ngrams {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

}  // namespace

std::unique_ptr<ngram::IndexReader> open_ngrams(const fs::path& folder, const Context& context) {
  if (context.memory_bytes != 0) const MemoryBudget refuses_too_little(context);
  if (path_kind(folder) != PathKind::folder)
    throw Error(Errc::not_found,
                fmt::format("{}: no such folder; build an index with 'refrain ngrams build INPUT... -o {}'",
                            folder.string(), folder.string()));
  if (!is_taken(folder / ngram::kGramsName) && !is_taken(folder / ngram::kPlacesName) &&
      !is_taken(folder / ngram::kDocumentsName))
    throw Error(Errc::not_found, fmt::format("{}: not an n-gram index; name a folder written by 'refrain ngrams build'",
                                             folder.string()));
  if (!is_taken(folder / run::kSummaryName))
    throw Error(Errc::corrupt,
                fmt::format("{}: incomplete, {} is missing; rebuild it", folder.string(), run::kSummaryName));
  return std::make_unique<ngram::IndexReader>(folder);
}

void NgramRowWriter::header() {
  buffer_ += "ngram\tcount\tdocuments\tplaces\n";
}

void NgramRowWriter::row(const ngram::GramEntry& entry) {
  run::append_escaped(buffer_, entry.text);
  buffer_ += '\t';
  run::append_decimal(buffer_, entry.count);
  buffer_ += '\t';
  run::append_decimal(buffer_, entry.documents);
  char separator = '\t';
  ngram::PlaceCursor places = index_.places(entry);
  for (ngram::GramPlace place; places.next(place);) {
    buffer_ += separator;
    separator = ',';
    id_.clear();
    index_.append_id(id_, place.document);
    run::append_escaped(buffer_, id_);
    buffer_ += ':';
    run::append_decimal(buffer_, place.token);
    if (buffer_.size() >= kPieceBytes) flush();
  }
  buffer_ += '\n';
  if (buffer_.size() >= kPieceBytes) flush();
}

void NgramRowWriter::flush() {
  out_(buffer_);
  buffer_.clear();
}

}  // namespace refrain::verbs::ngrams

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
