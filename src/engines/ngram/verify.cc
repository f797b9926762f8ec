#include "engines/ngram/verify.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/relay.h"
#include "base/threads.h"
#include "refrain/error.h"

namespace refrain::ngram {

namespace {

// Limits of a draft: groups, places of one group, and bytes. Larger groups are written separately. The last two
// constants are prefetch distances.
constexpr std::uint64_t kMostDraftGroups = 512;
constexpr std::uint64_t kDraftPlaces = std::uint64_t{1} << 12U;
constexpr std::size_t kDraftBytes = std::size_t{1} << 17U;
constexpr std::uint64_t kTextsAhead = 16;
constexpr std::size_t kHintsAhead = 48;

}  // namespace

Verifier::Verifier(const Context& context, MemoryBudget& budget, TempSpace& temp, GramOutput& output, Pass pass,
                   std::function<std::uint64_t()> memory, double text_bytes)
    : context_(context),
      budget_(budget),
      output_(output),
      pass_(std::move(pass)),
      memory_(std::move(memory)),
      text_bytes_(text_bytes),
      open_(temp) {}

void Verifier::verify(Candidates& candidates, bool cut) {
  const unsigned workers = thread_count(context_);
  const auto sorted = [&](auto sort) {
    const Stopwatch watch;
    (candidates.*sort)(context_);
    sorting_seconds_ += watch.seconds();
  };
  sorted(&Candidates::number);
  const std::uint64_t groups = candidates.groups();
  double share = 1;  // share of the groups that should fit; halved after some did not
  for (std::uint64_t first = 0; first < groups;) {
    // Large arrays are rounded up to pages of 64 KiB, and strays need a few of them.
    const std::uint64_t given = memory_();
    const std::uint64_t kept_back = Resolver::working_bytes(workers) + (workers + 2) * (std::uint64_t{64} << 10U);
    const std::uint64_t memory = given - std::min(given, kept_back);
    // Take at least one group, however long its text is.
    const auto fit = static_cast<std::uint64_t>(share * static_cast<double>(memory) / (group_bytes() * 1.1));
    const std::uint64_t last = std::min(groups, first + std::max<std::uint64_t>(fit, 1));
    const std::uint64_t arena_bytes = memory - std::min(memory, (last - first) * Resolver::kGroupBytes);
    Resolver resolver(candidates, first, last, arena_bytes, workers, budget_);
    sorted(&Candidates::sort_by_position);
    if (first == 0 && !open_.empty()) resolver.preset(open_key_, open_text_);
    try {
      pass_(resolver);
    } catch (const Resolver::TooManyTexts&) {
      if (last - first == 1)
        throw Error(Errc::over_budget, "`memory`: not enough for one n-gram and its places; raise it");
      sorted(&Candidates::sort_by_group);
      share /= 2;
      continue;
    }
    sorted(&Candidates::sort_by_group);
    write(candidates, resolver, first, last, cut && last == groups);
    text_bytes_ = static_cast<double>(resolver.text_bytes()) / static_cast<double>(last - first);
    share = 1;
    first = last;
  }
  candidates.clear();
}

// N-grams prepared for writing. Workers prepare them in parallel; one worker at a time writes them.
struct Verifier::Drafts {
  // A group that is written separately.
  struct SeparateGroup {
    std::uint64_t group;
    std::size_t rows;  // number of rows before it
    std::size_t pieces_begin;
    std::size_t pieces_end;
  };
  GramRows rows;
  std::vector<SeparateGroup> separate_groups;
  std::vector<Piece> pieces;

  void clear() {
    rows.clear();
    separate_groups.clear();
    pieces.clear();
  }

  // Whether one more n-gram, with this number of places, would be too large for a draft.
  bool full(std::uint64_t places, const Resolver::Gram& gram) const {
    return places > kDraftPlaces || gram.text.size() > kDraftBytes || rows.bytes() > kDraftBytes;
  }

  // Adds the group whose pieces begin at `begin` in `pieces`, with `places` places in total.
  void add(const Candidates& candidates, const Resolver::Gram& gram, const DocumentTable& documents, std::size_t begin,
           std::size_t places) {
    char* out = rows.begin_gram(gram.key, gram.text, places);
    PlaceList list;
    DocId document = 0;
    std::uint64_t document_begin = 0;
    std::uint64_t document_end = 0;
    for (const Piece piece : std::span(pieces).subspan(begin))
      for (const std::uint64_t record : piece) {
        const std::uint64_t position = candidates.position_of(record);
        if (position >= document_end) {
          document = documents.locate(position).document;
          document_begin = documents.first(document);
          document_end = documents.first(document + 1);
        }
        out = list.add(out, document, position - document_begin);
      }
    rows.end_gram(list, out);
    pieces.resize(begin);
  }
};

void Verifier::write(const Candidates& candidates, const Resolver& resolver, std::uint64_t first, std::uint64_t last,
                     bool cut) {
  const std::vector<Resolver::Stray> strays = resolver.strays();
  const auto strays_of = [&](std::uint64_t group) {
    const auto before = [](const auto& stray, std::uint64_t value) { return stray.group < value; };
    const auto begin = std::lower_bound(strays.begin(), strays.end(), group, before);
    return std::span<const Resolver::Stray>(begin, std::lower_bound(begin, strays.end(), group + 1, before));
  };
  const unsigned workers = thread_count(context_);
  // Drafts use the memory that reading leaves free, because nothing is read now.
  const std::uint64_t drafts_bytes = workers * Relay<Drafts>::kThingsPerWorker * 2 * kDraftBytes;
  const Reservation reserved =
      budget_.reserve(std::min<std::uint64_t>(drafts_bytes, budget_.available()), "n-grams to be written");
  // A draft holds every text twice: by itself, and as part of its row.
  const std::uint64_t mean = 2 * resolver.text_bytes() / std::max<std::uint64_t>(last - first, 1) + 64;
  const std::uint64_t draft_groups = std::clamp<std::uint64_t>(kDraftBytes / 2 / mean, 16, kMostDraftGroups);
  const DocumentTable& documents = output_.documents();
  const auto draft = [&](Drafts& drafts, std::uint64_t from) {
    drafts.clear();
    std::uint64_t group = 0;
    std::size_t begin = 0;  // where the group's pieces begin
    std::uint64_t size = 0;
    const auto end_group = [&] {
      if (size == 0) return;
      const Resolver::Gram gram = resolver.gram(group);
      const bool opened = group == first && first == 0 && !open_.empty();
      if (gram.strays || opened || (cut && group + 1 == last) || drafts.full(size, gram)) {
        drafts.separate_groups.push_back({group, drafts.rows.size(), begin, drafts.pieces.size()});
        begin = drafts.pieces.size();
      } else if (size >= output_.m()) {
        drafts.add(candidates, gram, documents, begin, size);
      } else {
        drafts.pieces.resize(begin);
      }
      size = 0;
    };
    candidates.for_each_piece(from, std::min(from + draft_groups, last), [&](Piece records) {
      while (!records.empty()) {
        const std::uint64_t now = candidates.group_of(records.front());
        if (now != group) end_group();
        group = now;
        if (size == 0) resolver.prefetch(std::min(group + kTextsAhead, last - 1));
        std::size_t run = 1;
        while (run < records.size() && candidates.group_of(records[run]) == now) ++run;
        for (std::size_t i = 0; i < run && i + kHintsAhead < records.size(); ++i) {
          documents.prefetch_hint(candidates.position_of(records[i + kHintsAhead]));
          documents.prefetch_first(candidates.position_of(records[i + kHintsAhead / 2]));
        }
        drafts.pieces.push_back(records.first(run));
        size += run;
        records = records.subspan(run);
      }
    });
    end_group();
  };
  const auto write_drafts = [&](const Drafts& drafts) {
    std::size_t done = 0;
    for (const Drafts::SeparateGroup& apart : drafts.separate_groups) {
      output_.writer().add_rows(drafts.rows, std::exchange(done, apart.rows), apart.rows);
      write_group(candidates, resolver.gram(apart.group),
                  std::span(drafts.pieces).subspan(apart.pieces_begin, apart.pieces_end - apart.pieces_begin),
                  strays_of(apart.group), cut && apart.group + 1 == last);
    }
    output_.writer().add_rows(drafts.rows, done, drafts.rows.size());
  };
  Relay<Drafts> relay(workers);
  const auto items = static_cast<std::size_t>((last - first + draft_groups - 1) / draft_groups);
  const auto make = [&](unsigned, std::size_t i, Drafts& drafts) {
    throw_if_stopped(context_);
    draft(drafts, first + i * draft_groups);
  };
  relay.run(items, make, [&](std::size_t, Drafts& drafts) { write_drafts(drafts); });
}

void Verifier::write_group(const Candidates& candidates, const Resolver::Gram& gram, std::span<const Piece> pieces,
                           std::span<const Resolver::Stray> strays, bool cut) {
  const auto for_each = [&](auto fn) {
    for (const Piece piece : pieces)
      for (const std::uint64_t record : piece) fn(candidates.position_of(record));
  };
  if (!cut && strays.empty() && open_.empty()) {
    std::size_t places = 0;
    for (const Piece piece : pieces) places += piece.size();
    if (places >= output_.m()) output_.write(gram.key, gram.text, for_each);
    return;
  }
  // Strays are sorted by text, but their positions must be found in order to skip them.
  std::vector<std::uint64_t> stray_positions;
  for (const Resolver::Stray& stray : strays) stray_positions.push_back(stray.position);
  std::sort(stray_positions.begin(), stray_positions.end());
  store::PositionList& own = open_.positions(gram.key, gram.text);
  for_each([&](std::uint64_t position) {
    if (!std::binary_search(stray_positions.begin(), stray_positions.end(), position)) own.add(position);
  });
  for (const Resolver::Stray& stray : strays) open_.positions(stray.key, stray.text).add(stray.position);
  if (cut) {
    open_key_ = gram.key;
    open_text_ = gram.text;
  } else {
    open_.flush(output_);
  }
}

}  // namespace refrain::ngram
