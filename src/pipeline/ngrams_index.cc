#include "pipeline/ngrams_index.h"

#include <fmt/format.h>

#include <system_error>

#include "base/budget.h"
#include "base/path.h"
#include "pipeline/output_dir.h"
#include "pipeline/tsv.h"
#include "refrain/error.h"

namespace refrain {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} << 10;

}  // namespace

std::unique_ptr<IndexReader> open_ngrams(const fs::path& folder, const Context& context) {
  if (context.memory_bytes != 0) const MemoryBudget refuses_too_little(context);
  if (path_kind(folder) != PathKind::folder)
    throw Error(Errc::not_found,
                fmt::format("{}: no such folder; build an index with 'refrain ngrams build INPUT... -o {}'",
                            folder.string(), folder.string()));
  if (!is_taken(folder / kGramsName) && !is_taken(folder / kPlacesName) && !is_taken(folder / kDocumentsName))
    throw Error(Errc::not_found, fmt::format("{}: not an n-gram index; name a folder that 'refrain ngrams build' made",
                                             folder.string()));
  if (!is_taken(folder / kSummaryName))
    throw Error(Errc::corrupt,
                fmt::format("{}: not whole, its {} is missing; build it again", folder.string(), kSummaryName));
  return std::make_unique<IndexReader>(folder);
}

void NgramRowWriter::header() {
  buffer_ += "ngram\tcount\tdocuments\tplaces\n";
}

void NgramRowWriter::row(const GramEntry& entry) {
  append_escaped(buffer_, entry.text);
  buffer_ += '\t';
  append_decimal(buffer_, entry.count);
  buffer_ += '\t';
  append_decimal(buffer_, entry.documents);
  char separator = '\t';
  PlaceCursor places = index_.places(entry);
  for (GramPlace place; places.next(place);) {
    buffer_ += separator;
    separator = ',';
    id_.clear();
    index_.append_id(id_, place.document);
    append_escaped(buffer_, id_);
    buffer_ += ':';
    append_decimal(buffer_, place.token);
    if (buffer_.size() >= kPieceBytes) flush();
  }
  buffer_ += '\n';
  if (buffer_.size() >= kPieceBytes) flush();
}

void NgramRowWriter::flush() {
  out_(buffer_);
  buffer_.clear();
}

}  // namespace refrain
