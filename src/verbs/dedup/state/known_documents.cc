#include "verbs/dedup/state/known_documents.h"

#include <algorithm>
#include <span>

namespace refrain::verbs::dedup {

KnownDocuments::KnownDocuments(const run::RunDir& dir, std::uint64_t first, MemoryBudget& budget)
    : first_(first),
      rows_(dir.work("known_documents")),
      ids_(dir.work("known_ids")),
      texts_(dir.work("known_text")),
      reservation_(budget.reserve(0, "the templates")) {
  run::ColumnReader<std::uint64_t> values(dir.work("known_left_out"));
  std::vector<std::uint64_t> windows;
  for (std::uint64_t count = 0; values.next(count);) {
    reservation_.resize(reservation_.bytes() + text::LeftOut::memory_bytes(count), "the templates");
    windows.resize(count);
    for (std::uint64_t& window : windows) values.next(window);
    left_out_.emplace_back(windows);
  }
}

KnownRow KnownDocuments::row(DocId document) const {
  KnownRow row;
  rows_.read((document - first_) * sizeof row, {reinterpret_cast<char*>(&row), sizeof row});
  return row;
}

std::string KnownDocuments::id(DocId document) const {
  const ByteRange range = row(document).id;
  std::string id(range.end - range.begin, '\0');
  ids_.read(range.begin, id);
  return id;
}

std::uint64_t KnownDocuments::text_bytes(DocId document) const {
  const ByteRange range = row(document).text;
  return range.end - range.begin;
}

std::string KnownDocuments::text(DocId document, std::uint64_t most) const {
  const ByteRange range = row(document).text;
  std::string text(std::min(range.end - range.begin, most), '\0');
  texts_.read(range.begin, text);
  return text;
}

const text::LeftOut* KnownDocuments::left_out(DocId document) const {
  const std::uint32_t number = row(document).left_out;
  return number == 0 ? nullptr : &left_out_.at(number - 1U);
}

}  // namespace refrain::verbs::dedup
