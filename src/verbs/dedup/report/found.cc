// dedup: gathers two parts of report.html, each of bounded size: the items of another set that the corpus contains,
// and the passages that are cut out most.
#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/files/file.h"
#include "base/hash.h"
#include "base/threads.h"
#include "refrain/utf8.h"
#include "store/shuffle.h"
#include "verbs/dedup/against/against.h"
#include "verbs/dedup/report/report.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/sources.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kItems = 20;
constexpr std::size_t kPassages = 10;
constexpr std::size_t kCandidates = 200;        // for these passages
constexpr std::uint64_t kAround = 120;          // bytes shown before and after a place
constexpr std::uint64_t kPlace = 600;           // bytes shown of a place; of a longer one, its two ends
constexpr std::uint64_t kCoreWithin = 8 << 10;  // bytes of a cut that are searched for its core
constexpr std::uint64_t kLook = 65536;          // cuts between two checks of the stop token

// Shortens parts of texts, and ids, for display.
class ShownTexts {
 public:
  explicit ShownTexts(DedupRun& run)
      : ids_(run.dir.work("ids"), run.dir.work("id_ends")),
        slices_(run.texts(), run.dir.work("text_ends")),
        bytes_(run.texts()) {}

  std::string id(DocId document) { return evidence::shortened(ids_.get(document, scratch_), kIdBytes); }

  // A place, highlighted, with `around` bytes before and after it.
  std::vector<evidence::ShownPiece> place(DocId document, ByteRange place, std::uint64_t around) {
    using Kind = evidence::ShownPiece::Kind;
    document_ = slices_.range(document);
    const std::uint64_t size = document_.end - document_.begin;
    std::vector<evidence::ShownPiece> pieces;
    const auto add = [&](Kind kind, std::uint64_t begin, std::uint64_t end) {
      if (std::string text = part(begin, end); !text.empty()) pieces.push_back({kind, std::move(text), 0});
    };
    const auto leave_out = [&](std::uint64_t bytes) {
      if (bytes != 0) pieces.push_back({Kind::left_out, {}, bytes});
    };
    const std::uint64_t begin = place.begin - std::min(around, place.begin);
    const std::uint64_t end = std::min(size, place.end + around);
    if (around != 0) leave_out(begin);
    add(Kind::plain, begin, place.begin);
    if (place.end - place.begin <= kPlace) {
      add(Kind::both, place.begin, place.end);
    } else {
      add(Kind::both, place.begin, place.begin + kPlace / 2);
      leave_out(place.end - place.begin - kPlace);
      add(Kind::both, place.end - kPlace / 2, place.end);
    }
    add(Kind::plain, place.end, end);
    if (around != 0) leave_out(size - end);
    return pieces;
  }

 private:
  // The characters that begin in this part of the document.
  std::string part(std::uint64_t begin, std::uint64_t end) const {
    if (begin >= end) return {};
    const std::uint64_t read_end = std::min(end + 3, document_.end - document_.begin);
    std::string text(static_cast<std::size_t>(read_end - begin), '\0');
    bytes_->read(document_.begin + begin, text);
    const std::size_t from = begin == 0 ? 0 : boundary_after(text, 0);
    const std::size_t to = boundary_after(text, static_cast<std::size_t>(end - begin));
    return from >= to ? std::string() : text.substr(from, to - from);
  }

  run::SliceFile ids_;
  run::SliceFile slices_;
  const std::shared_ptr<const run::StripedFile> bytes_;
  ByteRange document_;
  std::string scratch_;
};

// The key of a cut: the least hash of any `size` consecutive bytes in it. Cuts of one passage differ at their ends,
// where the text beside them agrees by chance, but mostly have the same key.
class Core {
 public:
  explicit Core(std::size_t size) : size_(size) {
    for (std::size_t i = 0; i < size; ++i) leaving_ *= kBase;
  }
  std::uint64_t of(std::string_view text) const {
    std::uint64_t least = ~std::uint64_t{0};
    for_each(text, [&](std::uint64_t hash) { least = std::min(least, hash); });
    return least;
  }
  // Calls fn(hash) for every run of `size` consecutive bytes, or once for the whole text if it is shorter.
  template <class Fn>
  void for_each(std::string_view text, Fn fn) const {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      sum = sum * kBase + byte(text, i) + 1;
      if (i >= size_) sum -= leaving_ * (byte(text, i - size_) + 1);
      if (i + 1 >= size_ || i + 1 == text.size()) fn(mix(sum, 0x9E3779B97F4A7C15ULL, 0xD6E8FEB86659FD93ULL));
    }
  }

 private:
  static constexpr std::uint64_t kBase = 0x100000001B3ULL;
  static std::uint64_t byte(std::string_view text, std::size_t i) { return static_cast<unsigned char>(text[i]); }

  const std::size_t size_;
  std::uint64_t leaving_ = 1;
};

struct Cut {
  std::uint64_t core;
  CutSpan span;
  friend bool operator<(const Cut& a, const Cut& b) {
    return a.span.document != b.span.document ? a.span.document < b.span.document
                                              : a.span.bytes.begin < b.span.bytes.begin;
  }
};
struct CoreOfCut {
  std::uint64_t operator()(const Cut& cut) const { return cut.core; }
};

std::uint64_t length(const CutSpan& span) {
  return span.bytes.end - span.bytes.begin;
}

struct Passage {
  std::uint64_t core = 0;
  CutSpan longest;  // the first of several
  std::uint64_t cuts = 0;
  std::uint64_t bytes = 0;
};

// Orders passages by the bytes saved, and equal ones by position.
struct BySaving {
  bool operator()(const Passage& a, const Passage& b) const {
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return a.longest.document != b.longest.document ? a.longest.document < b.longest.document
                                                    : a.longest.bytes.begin < b.longest.bytes.begin;
  }
};

// Reads the part of a cut in which its core is searched for.
class CutTexts {
 public:
  explicit CutTexts(DedupRun& run) : slices_(run.texts(), run.dir.work("text_ends")), bytes_(run.texts()) {}
  // Valid until the next call.
  std::string_view get(const CutSpan& span) {
    text_.resize(static_cast<std::size_t>(std::min(span.bytes.end - span.bytes.begin, kCoreWithin)));
    bytes_->read(slices_.range(span.document).begin + span.bytes.begin, text_);
    return text_;
  }

 private:
  run::SliceFile slices_;
  const std::shared_ptr<const run::StripedFile> bytes_;
  std::string text_;
};

// Merges passages that are parts of one. If a first copy extends into a passage, only part of the passage is cut
// there, and that part may lack its core. So a passage is merged into a better one if either contains the other's
// core. `candidates` are ordered best first.
std::vector<Passage> merge_parts(const std::vector<Passage>& candidates, const Core& core, CutTexts& texts) {
  struct Accepted {
    Passage passage;
    std::unordered_set<std::uint64_t> stretches;
  };
  std::vector<Accepted> accepted;
  for (const Passage& candidate : candidates) {
    std::unordered_set<std::uint64_t> stretches;
    core.for_each(texts.get(candidate.longest), [&](std::uint64_t hash) { stretches.insert(hash); });
    const auto same = std::find_if(accepted.begin(), accepted.end(), [&](const Accepted& better) {
      return better.stretches.contains(candidate.core) || stretches.contains(better.passage.core);
    });
    if (same != accepted.end()) {
      same->passage.cuts += candidate.cuts;
      same->passage.bytes += candidate.bytes;
      if (length(candidate.longest) > length(same->passage.longest)) same->passage.longest = candidate.longest;
    } else if (accepted.size() < kPassages) {
      accepted.push_back({candidate, std::move(stretches)});
    }
  }
  std::vector<Passage> passages;
  for (const Accepted& one : accepted) passages.push_back(one.passage);
  std::sort(passages.begin(), passages.end(), BySaving());
  return passages;
}

}  // namespace

std::uint64_t passage_core_bytes(const DedupOptions& options) {
  return std::max<std::uint64_t>(options.substrings / 2, 8);
}

std::vector<ShownItem> find_items(DedupRun& run) {
  if (!run.against()) return {};
  struct Found {
    AgainstItem item;
    std::uint64_t number;
  };
  // Items in the most documents come first; equal ones in their order.
  const auto before = [](const Found& a, const Found& b) {
    return a.item.documents != b.item.documents ? a.item.documents > b.item.documents : a.number < b.number;
  };
  std::vector<Found> best;
  run::ColumnReader<AgainstItem> items(run.dir.work("against_items"));
  AgainstItem item;
  for (std::uint64_t number = 0; items.next(item); ++number)
    if (item.first_found < item.last_found) keep_best(best, {item, number}, kItems, before);
  run::SliceFile ids(run.dir.work("against_ids"), run.dir.work("against_id_ends"));
  const RandomFile places(run.dir.work("against_found"));
  ShownTexts texts(run);
  std::string scratch;
  std::vector<ShownItem> shown;
  for (const Found& found : best) {
    AgainstPlace place;
    places.read(found.item.first_found * sizeof place, {reinterpret_cast<char*>(&place), sizeof place});
    shown.push_back({.id = evidence::shortened(ids.get(found.number, scratch), kIdBytes),
                     .documents = found.item.documents,
                     .first_id = texts.id(place.document),
                     .share = place.share,
                     .text = texts.place(place.document, place.where, kAround)});
  }
  return shown;
}

std::vector<ShownPassage> find_passages(DedupRun& run) {
  if (run.options.substrings == 0) return {};
  const RandomFile file(run.dir.work("spans"));
  store::Shuffle<Cut, CoreOfCut> cuts({.what = "the cut passages",
                                       .expected_records = static_cast<std::size_t>(file.size() / sizeof(CutSpan)),
                                       .order_values = true,
                                       .temp = &run.temp,
                                       .memory_bytes = run.budget.available() / 2},
                                      run.budget);
  const Core core(static_cast<std::size_t>(passage_core_bytes(run.options)));
  CutTexts cut_texts(run);
  {
    auto writer = cuts.writer();
    run::ColumnReader<CutSpan> spans(run.dir.work("spans"));
    CutSpan span;
    for (std::uint64_t i = 0; spans.next(span); ++i) {
      if (i % kLook == kLook - 1) throw_if_stopped(run.context);
      writer.add({core.of(cut_texts.get(span)), span});
    }
  }
  std::vector<Passage> best;
  Context in_order = run.context;
  in_order.threads = 1;
  Passage passage;
  cuts.for_each_run(in_order, [&](unsigned, std::size_t, const store::Run<Cut>& group) {
    if (group.first) passage = {.core = group.key, .longest = group.records.front().span, .cuts = 0, .bytes = 0};
    for (const Cut& cut : group.records) {
      ++passage.cuts;
      passage.bytes += length(cut.span);
      if (length(cut.span) > length(passage.longest)) passage.longest = cut.span;
    }
    if (group.last) keep_best(best, passage, kCandidates, BySaving());
  });
  ShownTexts texts(run);
  std::vector<ShownPassage> shown;
  for (const Passage& one : merge_parts(best, core, cut_texts))
    shown.push_back({.cuts = one.cuts,
                     .bytes = one.bytes,
                     .length = length(one.longest),
                     .id = texts.id(one.longest.document),
                     .text = texts.place(one.longest.document, one.longest.bytes, 0)});
  return shown;
}

}  // namespace refrain::verbs::dedup
