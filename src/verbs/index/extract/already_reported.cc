#include "verbs/index/extract/stages.h"

#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "base/array.h"
#include "base/threads.h"
#include "verbs/index/extract/plan.h"

namespace refrain::verbs::index {
namespace {

// A match as one of its two documents sees it. In the later one, it is a place.
struct SeenMatch {
  std::uint32_t document;
  std::uint32_t earlier;  // 1: seen by the earlier document, else 0
  PassageMatch match;
  friend bool operator<(const SeenMatch& x, const SeenMatch& y) {
    return std::tie(x.earlier, x.match) < std::tie(y.earlier, y.match);
  }
};
// A match as its later document sees it, ordered by the earlier one.
struct MatchPlace {
  std::uint32_t document;
  std::uint32_t reported;  // 1: its stretch of the earlier document is covered by places of earlier documents
  PassageMatch match;
  friend bool operator<(const MatchPlace& x, const MatchPlace& y) {
    return std::tie(x.match.document, x.match, x.reported) < std::tie(y.match.document, y.match, y.reported);
  }
};
struct DocumentKey {
  template <class Record>
  std::uint64_t operator()(const Record& record) const {
    return record.document;
  }
};
using SeenShuffle = store::Shuffle<SeenMatch, DocumentKey>;
using PlaceShuffle = store::Shuffle<MatchPlace, DocumentKey>;

// Whether nearly all tokens (nine in ten) of a stretch are set.
bool is_covered(const TokenBits& bits, std::uint64_t first, std::uint64_t length) {
  return 10 * bits.count(first, first + length) >= 9 * length;
}

// A worker's view of its current document.
struct ReportedPlaces {
  explicit ReportedPlaces(MemoryBudget& budget)
      : bits(budget, "the covered parts of a document"), waiting(budget, "the places of a document") {}
  TokenBits bits;
  std::uint32_t source = 0;     // the earlier document of the waiting places
  Array<PassageMatch> waiting;  // they only count for later sources
};

std::vector<std::unique_ptr<ReportedPlaces>> make_workers(const Context& context, MemoryBudget& budget) {
  std::vector<std::unique_ptr<ReportedPlaces>> workers(thread_count(context));
  for (auto& worker : workers) worker = std::make_unique<ReportedPlaces>(budget);
  return workers;
}

template <class Shuffle>
std::vector<typename Shuffle::Writer> make_writers(Shuffle& to, const Context& context) {
  std::vector<typename Shuffle::Writer> writers;
  for (unsigned i = 0; i < thread_count(context); ++i) writers.push_back(to.writer());
  return writers;
}

}  // namespace

void drop_already_reported(MatchShuffle& found, const TokenTable& table, const store::ShuffleOptions& options,
                           std::uint64_t memory_bytes, MemoryBudget& budget, const Context& context,
                           MatchShuffle& matches) {
  std::optional<SeenShuffle> seen(std::in_place, options, budget);
  {
    std::vector<SeenShuffle::Writer> writers = make_writers(*seen, context);
    found.drain(context, 0, found.partitions(), memory_bytes,
                [&](unsigned worker, std::size_t /*partition*/, const store::Run<PassageMatch>& run) {
                  for (const PassageMatch& match : run.records) {
                    writers[worker].add({match.document, 1, match});
                    writers[worker].add({static_cast<std::uint32_t>(table.document_at(match.b)), 0, match});
                  }
                });
  }
  PlaceShuffle places(options, budget);
  {
    const auto workers = make_workers(context, budget);
    std::vector<PlaceShuffle::Writer> writers = make_writers(places, context);
    seen->drain(
        context, 0, seen->partitions(), memory_bytes,
        [&](unsigned number, std::size_t /*partition*/, const store::Run<SeenMatch>& run) {
          TokenBits& bits = workers[number]->bits;
          const std::uint64_t begin = table.begins[run.key];
          if (run.first) bits.reset(table.tokens(run.key));
          for (const auto& [document, earlier, match] : run.records) {
            if (earlier == 0) {
              bits.set(match.b - begin, match.b - begin + match.b_length);
              continue;
            }
            const bool reported = is_covered(bits, match.a - begin, match.a_length);
            writers[number].add({static_cast<std::uint32_t>(table.document_at(match.b)), reported ? 1U : 0U, match});
          }
        });
  }
  seen.reset();
  const auto workers = make_workers(context, budget);
  std::vector<MatchShuffle::Writer> writers = make_writers(matches, context);
  places.drain(context, 0, places.partitions(), memory_bytes,
               [&](unsigned number, std::size_t /*partition*/, const store::Run<MatchPlace>& run) {
                 ReportedPlaces& worker = *workers[number];
                 const std::uint64_t begin = table.begins[run.key];
                 if (run.first) {
                   worker.bits.reset(table.tokens(run.key));
                   worker.waiting.clear();
                 }
                 for (const auto& [document, reported, match] : run.records) {
                   if (match.document != worker.source) {
                     for (const PassageMatch& place : worker.waiting)
                       worker.bits.set(place.b - begin, place.b - begin + place.b_length);
                     worker.waiting.clear();
                     worker.source = match.document;
                   }
                   worker.waiting.push_back(match);
                   if (reported == 0 || !is_covered(worker.bits, match.b - begin, match.b_length))
                     writers[number].add(match);
                 }
               });
}

}  // namespace refrain::verbs::index
