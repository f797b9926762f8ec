// dedup: finds the documents that contain items of another set, in one pass over the texts. Only the other set is
// held in memory.
#include "verbs/dedup/against/against.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "base/files/file.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "store/shuffle.h"
#include "verbs/dedup/against/reference_search.h"
#include "verbs/dedup/state/facts.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::uint64_t kPiece = 128;  // documents per task of a worker
constexpr std::size_t kPieces = 128;   // tasks whose results are in memory at once
constexpr std::uint64_t kShown = 20;   // documents listed per item
constexpr std::size_t kShownTooShort = 20;

// An item found in a document.
struct Row {
  DocId document;
  ReferenceFound found;
};
struct ItemRow {
  std::uint64_t item;
  AgainstPlace place;
  friend bool operator<(const ItemRow& a, const ItemRow& b) { return a.place.document < b.place.document; }
};
struct ItemOfRow {
  std::uint64_t operator()(const ItemRow& row) const { return row.item; }
};

// A thread that searches documents needs this.
struct Worker {
  Worker(DedupRun& run, const ReferenceWindows& windows)
      : texts(run.texts(), run.dir.work("text_ends")),
        search(windows, run.options.windows.tokenizer, run.budget),
        reservation(run.budget.reserve(0, "a document")) {}

  run::SliceFile texts;
  ReferenceSearch search;
  Reservation reservation;
  std::string scratch;
};

class Against {
 public:
  explicit Against(DedupRun& run)
      : run_(run),
        set_(run.options.against, run.options.windows.tokenizer, run.context, run.budget),
        windows_(set_, {run.options.against_min, run.options.against_share, run.options.against_passage}, run.budget),
        documents_(run.budget, "the items by document", set_.size()),
        rows_({.what = "the documents by item",
               .key_bits = static_cast<unsigned>(std::bit_width(std::uint64_t{set_.size()} | 1)),
               .expected_records = set_.size(),
               .order_values = true,
               .temp = &run.temp,
               .memory_bytes = run.budget.available() / 4},
              run.budget),
        hits_(run.dir.create_work("against")),
        spans_(run.dir.create_work("against_spans")) {}

  void run() {
    search_all();
    run_.dir.close(hits_);
    run_.dir.close(spans_);
    write_ids();
    write_items();
    report_.read = set_.read();
    report_.items = set_.read().documents;
    report_.common = windows_.common_items();
    run_.report.against = report_;
  }

 private:
  void search_all() {
    const std::uint64_t count = run_.documents();
    const Array<DocState> states = run::load_column<DocState>(run_.dir.work("states"), run_.budget, "the documents");
    std::vector<std::unique_ptr<Worker>> workers(run_.threads);
    Progress progress(run_.context, "against", "documents", count);
    auto writer = rows_.writer();
    for (std::uint64_t begin = 0; begin < count; begin += kPiece * kPieces) {
      const std::uint64_t end = std::min(count, begin + kPiece * kPieces);
      std::vector<Array<Row>> found;
      for (std::size_t i = 0; i < (end - begin + kPiece - 1) / kPiece; ++i)
        found.emplace_back(run_.budget, "the items that were found");
      parallel_for(run_.threads, found.size(), [&](unsigned worker, std::size_t piece) {
        if (!workers[worker]) workers[worker] = std::make_unique<Worker>(run_, windows_);
        const DocId first = begin + piece * kPiece;
        const DocId last = std::min(end, first + kPiece);
        for (DocId document = first; document < last; ++document)
          if (states[document] != DocState::bad) search(*workers[worker], document, found[piece]);
        progress.add(last - first);
      });
      for (const Array<Row>& rows : found) take(rows, writer);
    }
    progress.finish();
  }

  static void search(Worker& worker, DocId document, Array<Row>& found) {
    const ByteRange range = worker.texts.range(document);
    if (range.end - range.begin > worker.reservation.bytes())
      worker.reservation.resize(range.end - range.begin, "a document");
    worker.search.search(worker.texts.get(document, worker.scratch), [&](const ReferenceFound& item) {
      found.push_back({document, item});
    });
  }

  // Called in input order.
  template <class Writer>
  void take(const Array<Row>& rows, Writer& writer) {
    for (std::size_t begin = 0; begin < rows.size();) {
      AgainstHit hit{.document = rows[begin].document, .first_span = span_count_};
      std::vector<ByteRange> spans;
      std::size_t end = begin;
      for (; end < rows.size() && rows[end].document == hit.document; ++end) {
        const ReferenceFound& found = rows[end].found;
        if (found.share > hit.share) {
          hit.item = found.item;
          hit.share = found.share;
        }
        spans.push_back(found.where);
        if (documents_[found.item]++ < kShown) writer.add({found.item, {hit.document, found.share, found.where}});
      }
      unite(spans);
      spans_.write_values(std::span<const ByteRange>(spans));
      hit.last_span = span_count_ += spans.size();
      hits_.write_values(std::span<const AgainstHit>(&hit, 1));
      ++report_.documents;
      begin = end;
    }
  }

  // Sorts the ranges and merges those that overlap or touch.
  static void unite(std::vector<ByteRange>& spans) {
    std::sort(spans.begin(), spans.end(),
              [](ByteRange a, ByteRange b) { return a.begin != b.begin ? a.begin < b.begin : a.end < b.end; });
    std::size_t kept = 0;
    for (const ByteRange span : spans) {
      if (kept != 0 && span.begin <= spans[kept - 1].end)
        spans[kept - 1].end = std::max(spans[kept - 1].end, span.end);
      else
        spans[kept++] = span;
    }
    spans.resize(kept);
  }

  void write_ids() {
    run::RunFile ids = run_.dir.create_work("against_ids");
    run::RunFile ends = run_.dir.create_work("against_id_ends");
    std::uint64_t at = 0;
    for (std::uint32_t item = 0; item < set_.size(); ++item) {
      const std::string id = set_.id(item);
      ids.write(id);
      at += id.size();
      ends.write_values(std::span<const std::uint64_t>(&at, 1));
    }
    run_.dir.close(ids);
    run_.dir.close(ends);
  }

  void write_items() {
    Array<AgainstItem> items(run_.budget, "the items by document", set_.size());
    run::RunFile places = run_.dir.create_work("against_found");
    std::uint64_t count = 0;
    Context in_order = run_.context;
    in_order.threads = 1;
    rows_.for_each_run(in_order, [&](unsigned, std::size_t, const store::Run<ItemRow>& records) {
      AgainstItem& item = items[records.key];
      if (records.first) item.first_found = count;
      for (const ItemRow& row : records.records) places.write_values(std::span<const AgainstPlace>(&row.place, 1));
      item.last_found = count += records.records.size();
    });
    run_.dir.close(places);
    for (std::uint32_t i = 0; i < set_.size(); ++i) {
      // Items with the same tokens are searched for once.
      if (set_.first_like(i) != i) items[i] = items[set_.first_like(i)];
      AgainstItem& item = items[i];
      item.tokens = set_.item(i).size();
      item.documents = documents_[set_.first_like(i)];
      const bool is_short = item.tokens < run_.options.against_min;
      item.state = static_cast<std::uint64_t>(set_.bad(i) ? DocState::bad
                                              : is_short  ? DocState::too_short
                                                          : DocState::judged);
      report_.found += item.documents != 0 ? 1 : 0;
      if (set_.bad(i) || !is_short) continue;
      if (report_.too_short++ < kShownTooShort) report_.too_short_items.push_back(set_.id(i));
    }
    run::RunFile file = run_.dir.create_work("against_items");
    file.write_values(std::span<const AgainstItem>(items.data(), items.size()));
    run_.dir.close(file);
  }

  DedupRun& run_;
  const ReferenceSet set_;
  const ReferenceWindows windows_;
  Array<std::uint64_t> documents_;  // per item: the number of documents that contain it
  store::Shuffle<ItemRow, ItemOfRow> rows_;
  run::RunFile hits_;
  run::RunFile spans_;
  std::uint64_t span_count_ = 0;
  AgainstReport report_;
};

}  // namespace

void dedup_against(DedupRun& run) {
  Against(run).run();
}

AgainstView::AgainstView(DedupRun& run) : hits_(run) {
  if (!run.against()) return;
  spans_ = std::make_unique<RandomFile>(run.dir.work("against_spans"));
  ids_ = std::make_unique<run::SliceFile>(run.dir.work("against_ids"), run.dir.work("against_id_ends"));
}

std::vector<ByteRange> AgainstView::spans(DocId document) {
  const AgainstHit* hit = hits_.find(document);
  if (hit == nullptr) return {};
  std::vector<ByteRange> spans(hit->last_span - hit->first_span);
  spans_->read(hit->first_span * sizeof(ByteRange),
               {reinterpret_cast<char*>(spans.data()), spans.size() * sizeof(ByteRange)});
  return spans;
}

std::string_view AgainstView::id(std::uint64_t item) {
  return ids_->get(item, scratch_);
}

// Writes what was found of the other set as JSON.
void write_against(DedupRun& run) {
  if (!run.against()) return;
  run::SliceFile item_ids(run.dir.work("against_ids"), run.dir.work("against_id_ends"));
  run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  const RandomFile found(run.dir.work("against_found"));
  run::ColumnReader<AgainstItem> items(run.dir.work("against_items"));
  run::RunFile out = run.dir.create_output("against.jsonl");
  std::string scratch;
  std::string line;
  AgainstItem item;
  for (std::uint64_t i = 0; items.next(item); ++i) {
    const auto state = static_cast<DocState>(item.state);
    if (state == DocState::bad) continue;
    line = fmt::format(R"({{"id": {}, "tokens": {}, "too_short": {}, "documents": {}, "found": [)",
                       json_text(item_ids.get(i, scratch)), item.tokens, state == DocState::too_short, item.documents);
    for (std::uint64_t k = item.first_found; k < item.last_found; ++k) {
      AgainstPlace place;
      found.read(k * sizeof place, {reinterpret_cast<char*>(&place), sizeof place});
      line +=
          fmt::format(R"({}{{"id": {}, "share": {:.6g}, "begin": {}, "end": {}}})", k == item.first_found ? "" : ", ",
                      json_text(ids.get(place.document, scratch)), place.share, place.where.begin, place.where.end);
    }
    out.write(line + "]}\n");
  }
  run.dir.close(out);
}

}  // namespace refrain::verbs::dedup
