#include "verbs/index/extract/stages.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "base/progress.h"
#include "base/relay.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "verbs/index/read/occurrence.h"

namespace refrain::verbs::index {

namespace {

// The most places that are compared as one unit of work. There are fewer if they are long.
constexpr std::uint64_t kChunkPlaces = 64;
constexpr std::uint64_t kChunkTokens = std::uint64_t{1} << 16U;

std::uint64_t chunk_places(const FoundPassage& passage) {
  return std::clamp<std::uint64_t>(kChunkTokens / (passage.end - passage.begin), 1, kChunkPlaces);
}

// A part of a passage, ready to be reported.
struct Chunk {
  bool first = false;
  bool last = false;
  bool shown = false;  // false: the passage did not hold, or its text cannot be read
  PassageHead head;
  std::vector<Occurrence> occurrences;
  std::uint64_t count = 0;  // number of occurrences
  std::string text;         // head and occurrences as text, if the sink formats them
  struct Changed {
    std::uint64_t number;
    ChangedDocument document;
  };
  std::vector<Changed> changed;
};

// The state of one worker.
class ChunkMaker {
 public:
  ChunkMaker(Snapshot& snapshot, const TempFile& places, const TokenTable& table, const OutputRules& rules,
             MemoryBudget& budget)
      : snapshot_(snapshot.clone()),
        places_(places),
        table_(table),
        rules_(rules),
        is_loose_(rules.limits.edits == Edits::heavy),
        comparer_(snapshot.layout(), rules.limits),
        room_(budget.reserve(0, kRoom)) {}

  void make(const FoundPassage& passage, std::uint64_t first_place, const PassageSink& sink, Chunk& chunk) {
    find(passage, first_place, chunk);
    chunk.text.clear();
    chunk.count = chunk.occurrences.size();
    if (!sink.formats() || !chunk.shown) return;
    if (chunk.first) sink.format(chunk.head, chunk.text);
    for (std::size_t i = 0; i < chunk.occurrences.size(); ++i)
      sink.format(chunk.occurrences[i], chunk.first && i == 0, chunk.text);
    chunk.occurrences.clear();
  }

 private:
  static constexpr const char* kRoom = "the texts of a passage";

  void find(const FoundPassage& passage, std::uint64_t first_place, Chunk& chunk) {
    const std::uint64_t count = std::min(chunk_places(passage), passage.places - first_place);
    chunk.first = first_place == 0;
    chunk.last = first_place + count == passage.places;
    chunk.occurrences.clear();
    chunk.changed.clear();
    // For the comparer, and for the texts of the chunks that wait to be reported.
    constexpr std::uint64_t kTokenBytes = 8;
    const std::uint64_t tokens = passage.end - passage.begin;
    const std::uint64_t bytes = tokens * kTokenBytes;
    room_.resize(PlaceComparer::passage_bytes(tokens, bytes) + PlaceComparer::place_bytes(tokens, bytes, is_loose_) +
                     (Relay<Chunk>::kThingsPerWorker + 1) * std::max(tokens, kChunkTokens) * kTokenBytes,
                 kRoom);
    chunk.shown = set_passage(passage, chunk);
    if (!chunk.shown) return;
    rows_.resize(count);
    places_.read(passage.offset + first_place * sizeof(PassagePlace),
                 {reinterpret_cast<char*>(rows_.data()), count * sizeof(PassagePlace)});
    const std::uint64_t source = table_.document_at(passage.begin);
    if (chunk.first) {
      const ComparedPlace self = comparer_.source();
      chunk.head = {};
      chunk.head.text = self.occurrence.text;
      chunk.head.length = self.matches;
      chunk.head.similarity = passage.similarity;
      chunk.head.documents = passage.documents;
      chunk.occurrences.push_back(self.occurrence);
      chunk.occurrences.back().id = snapshot_->id(source);
      chunk.occurrences.back().document_share = share_of_document(self, source);
    }
    std::uint64_t documents = 1;
    std::uint64_t last_document = source;
    double similarity = 0;
    const std::uint64_t begin = table_.begins[source];
    for (const PassagePlace& place : rows_) {
      const std::uint64_t document = table_.document_at(place.b);
      const std::uint64_t first = place.b - table_.begins[document];
      std::optional<ComparedPlace> found = compare(document, {first, first + place.b_length},
                                                   {place.a - begin, place.a - begin + place.a_length}, chunk);
      if (!found || found->matches < rules_.min_tokens) continue;
      if (document != last_document) ++documents;
      last_document = document;
      similarity += found->occurrence.similarity;
      found->occurrence.id = snapshot_->id(document);
      found->occurrence.document_share = share_of_document(*found, document);
      chunk.occurrences.push_back(std::move(found->occurrence));
    }
    if (!chunk.first || !chunk.last) return;
    // The whole passage is in this chunk, so its head can count what was actually confirmed.
    chunk.shown = documents >= rules_.min_documents && chunk.occurrences.size() > 1;
    chunk.head.documents = documents;
    chunk.head.similarity = similarity / static_cast<double>(std::max<std::size_t>(chunk.occurrences.size(), 2) - 1);
  }

  double share_of_document(const ComparedPlace& place, std::uint64_t document) const {
    return static_cast<double>(place.place.size()) / static_cast<double>(table_.tokens(document));
  }

  bool set_passage(const FoundPassage& passage, Chunk& chunk) {
    if (passage.begin == begin_ && passage.end == end_) return holds_;
    begin_ = passage.begin;
    end_ = passage.end;
    const std::uint64_t document = table_.document_at(begin_);
    const TokenRange tokens{begin_ - table_.begins[document], end_ - table_.begins[document]};
    const std::optional<Snapshot::Piece> piece = read(document, tokens, chunk);
    holds_ = piece.has_value();
    if (piece) comparer_.set_passage({piece->text, piece->begin, piece->first_token}, tokens);
    return holds_;
  }

  std::optional<ComparedPlace> compare(std::uint64_t document, const TokenRange& tokens, const TokenRange& part,
                                       Chunk& chunk) {
    const std::optional<Snapshot::Piece> piece = read(document, tokens, chunk);
    if (!piece) return std::nullopt;
    const TextPiece text{piece->text, piece->begin, piece->first_token};
    return is_loose_ ? comparer_.compare_loosely(text, tokens, part) : comparer_.compare(text, tokens, part);
  }

  // Returns nullopt if the document has changed since it was first read.
  std::optional<Snapshot::Piece> read(std::uint64_t document, const TokenRange& tokens, Chunk& chunk) {
    try {
      return snapshot_->piece(document, tokens.first, tokens.last);
    } catch (const Error& error) {
      if (error.code() != Errc::bad_input) throw;
      chunk.changed.push_back({document, {snapshot_->id(document), error.what()}});
      return std::nullopt;
    }
  }

  std::unique_ptr<Snapshot> snapshot_;
  const TempFile& places_;
  const TokenTable& table_;
  const OutputRules& rules_;
  bool is_loose_;  // the order of words may differ
  PlaceComparer comparer_;
  Reservation room_;
  std::uint64_t begin_ = 0;  // the passage that is set
  std::uint64_t end_ = 0;
  bool holds_ = false;
  std::vector<PassagePlace> rows_;
};

}  // namespace

void report_passages(Snapshot& snapshot, std::span<const FoundPassage> passages, const TempFile& places,
                     TokenTable& table, const OutputRules& rules, MemoryBudget& budget, const Context& context,
                     PassageSink& sink, ExtractReport& report) {
  // The units of work are the chunks of all passages, numbered consecutively.
  Array<std::uint64_t> begins(budget, "the passages", passages.size() + 1);
  for (std::size_t i = 0; i < passages.size(); ++i) {
    const std::uint64_t size = chunk_places(passages[i]);
    begins[i + 1] = begins[i] + (passages[i].places + size - 1) / size;
  }
  const std::uint64_t chunks = begins[passages.size()];
  const unsigned threads = thread_count(context);
  std::vector<std::unique_ptr<ChunkMaker>> makers(threads);
  for (auto& maker : makers) maker = std::make_unique<ChunkMaker>(snapshot, places, table, rules, budget);
  Relay<Chunk> relay(threads);
  bool inside = false;  // a passage is being reported
  Progress progress(context, "compare", "pieces", chunks);
  const auto make = [&](unsigned worker, std::size_t item, Chunk& chunk) {
    const auto number =
        static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), item) - begins.begin() - 1);
    makers[worker]->make(passages[number], (item - begins[number]) * chunk_places(passages[number]), sink, chunk);
  };
  relay.run(chunks, make, [&](std::size_t, Chunk& chunk) {
    for (const auto& [changed, document] : chunk.changed) table.note_missing(changed, document, report);
    if (chunk.first && chunk.shown) {
      if (!sink.formats()) sink.begin(chunk.head);
      inside = true;
      ++report.passages;
    }
    if (inside && chunk.shown) {
      if (sink.formats()) sink.write(chunk.text);
      for (const Occurrence& occurrence : chunk.occurrences) sink.occurrence(occurrence);
      report.occurrences += chunk.count;
    }
    if (inside && chunk.last) {
      sink.end();
      inside = false;
    }
    progress.add(1);
  });
  progress.finish();
}

}  // namespace refrain::verbs::index
