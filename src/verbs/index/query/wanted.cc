#include "verbs/index/query/wanted.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/files/file.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "refrain/utf8.h"
#include "verbs/index/query/hits.h"
#include "verbs/run/tsv.h"

namespace refrain::verbs::index {
namespace {

constexpr std::size_t kMostRowBytes = std::size_t{1} << 20U;
constexpr std::size_t kMostNamed = 10;
constexpr std::size_t kNamedBytes = 256;  // of an id; the rest is cut off

// The header of matches.tsv, as `near` and `dedup` write it.
bool is_pairs_header(std::string_view line) {
  return line == "id1\tid2" || line.starts_with("id1\tid2\t");
}

[[noreturn]] void refuse_row(const std::string& path, std::uint64_t line, std::string_view what) {
  throw Error(Errc::bad_input, fmt::format("{}: line {}: {}; a row is 'query id<TAB>document id'", path, line, what));
}

// `documents` must be sorted.
WantedBlocks blocks_of_documents(Snapshot& snapshot, const std::vector<DocId>& documents) {
  WantedBlocks wanted;
  for (const DocId document : documents) {
    const blot::DocumentBlocks blocks = blocks_of_document(snapshot, document);
    if (!wanted.empty() && wanted.back().end == blocks.begin)
      wanted.back().end = blocks.end;
    else
      wanted.push_back(blocks);
  }
  return wanted;
}

}  // namespace

WantedDocuments::WantedDocuments(Snapshot& snapshot, const QueryOptions& options, const Context& context,
                                 MemoryBudget& budget) {
  if (!options.with.empty() && !options.pairs_file.empty())
    throw Error(Errc::invalid_argument, "`with`, `pairs`: both say what to compare with; remove one of them");
  if (!options.with.empty()) {
    std::vector<DocId> documents;
    for (const std::string& id : options.with) {
      const std::optional<DocId> document = snapshot.find(id);
      if (!document) throw Error(Errc::not_found, id + ": no document in the index has this id");
      documents.push_back(*document);
    }
    std::sort(documents.begin(), documents.end());
    documents.erase(std::unique(documents.begin(), documents.end()), documents.end());
    with_ = blocks_of_documents(snapshot, documents);
  }
  if (options.pairs_file.empty()) return;
  pairs_.emplace(budget);
  read(snapshot, options.pairs_file, context);
  Array<Row>& rows = pairs_->rows;
  std::sort(rows.begin(), rows.end());
  rows.resize(static_cast<std::size_t>(std::unique(rows.begin(), rows.end()) - rows.begin()));
  pairs_->met.resize(rows.size());
}

void WantedDocuments::read(Snapshot& snapshot, const std::string& path, const Context& context) {
  InputFile file(path, context.stop);
  std::string buffer;
  std::uint64_t number = 0;
  for (bool ended = false; !ended;) {
    throw_if_stopped(context);
    const std::size_t left = buffer.size();
    buffer.resize(left + kMostRowBytes);
    buffer.resize(left + file.read(buffer.data() + left, kMostRowBytes));
    ended = buffer.size() < left + kMostRowBytes;
    std::string_view rest = buffer;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos && !ended) break;
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      if (line.ends_with('\r')) line.remove_suffix(1);
      ++number;
      if (line.size() > kMostRowBytes) refuse_row(path, number, "longer than 1 MiB");
      const bool is_header = number == 1 && is_pairs_header(line);
      if (!line.empty() && !is_header) add(snapshot, line, path, number);
    }
    if (rest.size() > kMostRowBytes) refuse_row(path, number + 1, "longer than 1 MiB");
    buffer.erase(0, buffer.size() - rest.size());
  }
}

// Columns after the second are ignored.
void WantedDocuments::add(Snapshot& snapshot, std::string_view line, const std::string& path, std::uint64_t number) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) refuse_row(path, number, "has no tab");
  const std::string_view query = line.substr(0, tab);
  const std::string id = run::unescaped(line.substr(tab + 1, line.find('\t', tab + 1) - tab - 1));
  if (query.empty()) refuse_row(path, number, "has no query id");
  if (id.empty()) refuse_row(path, number, "has no document id");
  if (const std::optional<DocId> document = snapshot.find(id)) {
    pairs_->rows.push_back({digest(run::unescaped(query)), *document});
    return;
  }
  ++pairs_->unknown;
  if (pairs_->named.size() < kMostNamed) pairs_->named.push_back(id.substr(0, boundary_before(id, kNamedBytes)));
}

std::optional<WantedBlocks> WantedDocuments::of(Snapshot& snapshot, std::string_view query) {
  if (!pairs_) return with_;
  Array<Row>& rows = pairs_->rows;
  const Digest key = digest(query);
  Row* const first = std::lower_bound(rows.begin(), rows.end(), Row{key, 0});
  std::vector<DocId> documents;
  for (const Row* row = first; row != rows.end() && row->query == key; ++row) documents.push_back(row->document);
  if (!documents.empty())
    std::atomic_ref(pairs_->met[static_cast<std::size_t>(first - rows.begin())]).store(1, std::memory_order_relaxed);
  return blocks_of_documents(snapshot, documents);
}

void WantedDocuments::tell(QueryReport& report) const {
  if (!pairs_) return;
  report.unknown_documents = pairs_->unknown;
  report.unknown = pairs_->named;
  const Array<Row>& rows = pairs_->rows;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if ((i == 0 || rows[i - 1].query != rows[i].query) && pairs_->met[i] == 0) ++report.unknown_queries;
}

}  // namespace refrain::verbs::index
