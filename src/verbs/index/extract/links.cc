#include "verbs/index/extract/stages.h"

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"
#include "verbs/index/extract/plan.h"

namespace refrain::verbs::index {

void settle_leftovers(LeftoverShuffle& leftovers, const TokenTable& table, std::uint64_t span,
                      std::uint64_t memory_bytes, MemoryBudget& budget, const Context& context, MatchShuffle& matches) {
  // By worker: the beginnings of windows that lie in one of the places of the current document.
  std::vector<std::unique_ptr<TokenBits>> reported(thread_count(context));
  for (auto& bits : reported) bits = std::make_unique<TokenBits>(budget, "the covered parts of a document");
  leftovers.drain(context, 0, leftovers.partitions(), memory_bytes,
                  [&](unsigned worker, std::size_t /*partition*/, const store::Run<PlaceOrLeftover>& run) {
                    TokenBits& bits = *reported[worker];
                    if (run.first) bits.reset(table.tokens(run.key));
                    MatchShuffle::Writer writer = matches.writer();
                    for (const PlaceOrLeftover& record : run.records) {
                      if (record.rest == 0)
                        bits.set_windows(record.first, record.length, span);
                      else if (bits.count(record.first, record.first + record.length) < record.length)
                        writer.add(record.match);
                    }
                  });
}

namespace {

// In groups of up to this many places, each is also linked to predecessors,
constexpr std::size_t kSmallGroup = 16;
constexpr unsigned kPredecessors = 3;  // up to this many

// Consecutive links on one diagonal: between the first and the last anchor the documents agree.
struct LinkRun {
  std::uint64_t earlier;  // twice the position that the first anchor is linked to, plus the kind
  std::uint32_t first;    // tokens where the first and the last anchor begin
  std::uint32_t last;
  friend bool operator<(const LinkRun& x, const LinkRun& y) {
    return std::tie(x.earlier, x.first, x.last) < std::tie(y.earlier, y.first, y.last);
  }
};

// Turns the links of a document into matches, one document after another.
class LinkGrower {
 public:
  LinkGrower(const TokenTable& table, const run::TextStore& tokens, const GrowRules& rules, MemoryBudget& budget)
      : table_(table),
        tokens_(tokens),
        rules_(rules),
        aligner_(rules.align),
        runs_(budget, "the links of a document"),
        within_(budget, "the covered parts of a document"),
        agreeing_(budget, "the covered parts of a document"),
        placed_(budget, "the covered parts of a document"),
        explained_(budget, "the covered parts of a document"),
        reach_(std::max(kLeftoverWindows * rules.shapes.window.span(), rules.min_tokens)) {}

  void begin(std::uint64_t document) {
    document_ = document;
    runs_.clear();
    open_ = false;
  }

  // Links are added in order.
  void add(const AnchorLink& link) {
    const blot::BlotShape& shape = rules_.shapes.of(link.kind());
    // Anchors that overlap or touch belong to one stretch that agrees; with a stride, so do those of adjacent streams.
    const std::uint64_t step = shape.stride > 1 ? shape.stride : shape.span();
    if (open_ && link.diagonal == diagonal_ && link.token - run_.last <= step) {
      run_.last = link.token;
      return;
    }
    flush();
    open_ = true;
    diagonal_ = link.diagonal;
    const std::uint64_t earlier = table_.begins[document_] + link.token - link.distance();
    run_ = {earlier << 1U | static_cast<std::uint64_t>(link.kind()), link.token, link.token};
  }

  void end(MatchShuffle::Writer& matches, LeftoverShuffle::Writer& leftovers) {
    flush();
    std::sort(runs_.begin(), runs_.end());
    for (TokenBits* bits : {&within_, &agreeing_, &placed_, &explained_}) bits->reset(table_.tokens(document_));
    for (const LinkRun& run : runs_) {
      const AnchorKind kind = kind_of_key(run.earlier);
      const std::uint64_t fresh = first_uncovered(run, kind);
      if (fresh > run.last) continue;
      // With a stride, only the beginnings of anchors are known to agree.
      const std::uint64_t ahead = rules_.shapes.of(kind).stride > 1 ? 0 : fresh - run.first;
      PassageMatch match{};
      if (!grow((run.earlier >> 1U) + ahead, run.first + ahead, kNoLimits, match)) continue;
      cover(match);
      matches.add(match);
      report_places(match, leftovers);
    }
    // With a stride, a window that agrees is not a contiguous stretch, so windows that were passed over are not
    // revisited.
    if (rules_.shapes.window.stride > 1) return;
    for (const LinkRun& run : runs_)
      if (kind_of_key(run.earlier) == AnchorKind::window) grow_leftovers(run, matches, leftovers);
  }

  // The number of tokens of later documents that growing has covered.
  std::uint64_t grown() const { return grown_; }

 private:
  static constexpr std::uint64_t kFetchTokens = 512;
  // How far a leftover is grown to either side, in windows: enough to show it in its context, which has already been
  // reported. Without a limit, each version of a long document would be grown over its full length for every version
  // before it.
  static constexpr std::uint64_t kLeftoverWindows = 4;

  // At most this many tokens of the later document are taken before the position where growing begins, and from it on.
  struct Limits {
    std::uint64_t back;
    std::uint64_t ahead;
  };
  static constexpr Limits kNoLimits{~std::uint64_t{0}, ~std::uint64_t{0}};

  // Grows the windows of a run that were passed over although no accepted place agrees with all of their tokens.
  void grow_leftovers(const LinkRun& run, MatchShuffle::Writer& matches, LeftoverShuffle::Writer& leftovers) {
    const std::uint64_t span = rules_.shapes.window.span();
    for (std::uint64_t first = run.first, next = 0; first <= run.last; first = next) {
      next = first + 1;
      if (explained_.at(first) != 0) continue;
      while (next <= run.last && explained_.at(next) == 0) ++next;
      const std::uint64_t a = (run.earlier >> 1U) + (first - run.first);
      PassageMatch match{};
      if (!grow(a, first, {reach_, next - first - 1 + span + reach_}, match)) continue;
      if (placed_.count(first, next) == next - first) {
        leftovers.add({.document = match.document,
                       .first = static_cast<std::uint32_t>(a - table_.begins[match.document]),
                       .length = static_cast<std::uint32_t>(next - first),
                       .rest = 1,
                       .match = match});
        continue;
      }
      cover(match);
      matches.add(match);
      // Within one document, the match may have been cut short to keep it from overlapping the earlier place.
      if (match.document == document_) next = std::min(next, std::max(first + 1, first_behind(match, span)));
    }
  }

  // The first window that does not lie within the later place of a match.
  std::uint64_t first_behind(const PassageMatch& match, std::uint64_t span) const {
    return match.b - table_.begins[document_] + match.b_length - span + 1;
  }

  // Skips passages within a single document, because they might not be reported.
  void report_places(const PassageMatch& match, LeftoverShuffle::Writer& leftovers) {
    if (match.document == document_) return;
    const auto first_b = static_cast<std::uint32_t>(match.b - table_.begins[document_]);
    placed_.set_windows(first_b, match.b_length, rules_.shapes.window.span());
    const auto first_a = static_cast<std::uint32_t>(match.a - table_.begins[match.document]);
    leftovers.add({match.document, first_a, match.a_length, 0, {}});
    leftovers.add({static_cast<std::uint32_t>(document_), first_b, match.b_length, 0, {}});
  }

  // Where the first anchor of the run begins that is not yet part of an accepted match; behind the last anchor if
  // there is none. A window is part of one if it lies entirely in accepted places and half of it agrees there: the
  // remaining noise belongs to that passage, or is a leftover. A seed is part of one if half of it lies in accepted
  // places.
  std::uint64_t first_uncovered(const LinkRun& run, AnchorKind kind) const {
    const std::uint64_t span = rules_.shapes.of(kind).span();
    const std::uint64_t least = kind == AnchorKind::window ? span : (span + 1) / 2;
    std::uint64_t within = within_.count(run.first, run.first + span);
    std::uint64_t agreeing = agreeing_.count(run.first, run.first + span);
    for (std::uint64_t token = run.first;; ++token) {
      if (token > run.last || within < least || (kind == AnchorKind::window && 2 * agreeing < span)) return token;
      within += within_.at(token + span) - within_.at(token);
      agreeing += agreeing_.at(token + span) - agreeing_.at(token);
    }
  }

  void flush() {
    if (open_) runs_.push_back(run_);
    open_ = false;
  }

  std::span<const std::uint32_t> fetch(std::uint64_t first, std::uint64_t last, std::vector<char>& scratch) const {
    const char* bytes = tokens_.read(first * sizeof(std::uint32_t), (last - first) * sizeof(std::uint32_t), scratch);
    return {reinterpret_cast<const std::uint32_t*>(bytes), static_cast<std::size_t>(last - first)};
  }

  // Calls grow_once with ever longer spans until they suffice. `most_a`, `most_b`: how many tokens each side has.
  template <class Grow>
  blot::Growth grow_spans(std::uint64_t most_a, std::uint64_t most_b, Grow grow_once) {
    for (std::uint64_t size = kFetchTokens;; size *= 2) {
      const blot::Growth growth = grow_once(std::min(size, most_a), std::min(size, most_b));
      if (!growth.open || (size >= most_a && size >= most_b)) return growth;
      // One side is exhausted, and the other was given as much as can be aligned with it.
      if (size >= (1 + rules_.align.match) * std::min(most_a, most_b) + rules_.align.max_gap) return growth;
    }
  }

  bool grow(std::uint64_t a, std::uint64_t token, const Limits& limits, PassageMatch& match) {
    const std::uint64_t begin = table_.begins[document_];
    const std::uint64_t b = begin + token;
    const std::uint64_t source = table_.document_at(a);
    const bool same = source == document_;
    std::uint64_t apart = b - a;  // within one document, the two must not overlap
    if (same && apart < rules_.min_tokens) return false;
    const std::uint64_t rest = table_.begins[source + 1] - a;
    const blot::Growth ahead =
        grow_spans(same ? std::min(rest, apart) : rest, std::min(limits.ahead, table_.begins[document_ + 1] - b),
                   [&](std::uint64_t size_a, std::uint64_t size_b) {
                     return aligner_.forward(fetch(a, a + size_a, scratch_a_), fetch(b, b + size_b, scratch_b_));
                   });
    apart -= same ? ahead.a : 0;
    const blot::Growth back =
        grow_spans(a - table_.begins[source], std::min(limits.back, same ? std::min(token, apart) : token),
                   [&](std::uint64_t size_a, std::uint64_t size_b) {
                     return aligner_.backward(fetch(a - size_a, a, scratch_a_), fetch(b - size_b, b, scratch_b_));
                   });
    grown_ += ahead.b + back.b;
    const std::uint64_t matches = ahead.matches + back.matches;
    if (matches < rules_.min_tokens) return false;
    match = {.a = a - back.a,
             .b = b - back.b,
             .a_length = static_cast<std::uint32_t>(ahead.a + back.a),
             .b_length = static_cast<std::uint32_t>(ahead.b + back.b),
             .matches = static_cast<std::uint32_t>(matches),
             .document = static_cast<std::uint32_t>(source)};
    return true;
  }

  // Marks the tokens and windows of the document that the match covers.
  void cover(const PassageMatch& match) {
    const std::uint64_t first = match.b - table_.begins[document_];
    within_.set(first, first + match.b_length);
    const auto agree = [&](std::uint64_t token, std::uint64_t length) {
      agreeing_.set(token, token + length);
      explained_.set_windows(token, length, rules_.shapes.window.span());
    };
    if (match.matches == match.a_length && match.matches == match.b_length) {
      agree(first, match.b_length);
      return;
    }
    const auto a = fetch(match.a, match.a + match.a_length, scratch_a_);
    const auto b = fetch(match.b, match.b + match.b_length, scratch_b_);
    for (const blot::Aligner::Run& run : aligner_.align(a, b)) agree(first + run.b, run.length);
  }

  const TokenTable& table_;
  const run::TextStore& tokens_;
  const GrowRules& rules_;
  blot::Aligner aligner_;
  std::uint64_t document_ = 0;
  Array<LinkRun> runs_;
  LinkRun run_{};
  std::uint64_t diagonal_ = 0;
  bool open_ = false;
  TokenBits within_;     // tokens that lie in an accepted place
  TokenBits agreeing_;   // tokens that also agree there
  TokenBits placed_;     // beginnings of windows that lie within one accepted place of another document's passage
  TokenBits explained_;  // beginnings of windows that agree entirely with one stretch
  const std::uint64_t reach_;
  std::uint64_t grown_ = 0;
  std::vector<char> scratch_a_;
  std::vector<char> scratch_b_;
};

}  // namespace

void link_anchors(AnchorShuffle& anchors, const TokenTable& table, const AnchorShapes& shapes,
                  std::uint64_t memory_bytes, const Context& context, LinkShuffle& links) {
  struct alignas(64) Worker {
    std::unique_ptr<LinkShuffle::Writer> writer;
    bool has_head = false;
    Anchor head{};
  };
  std::vector<Worker> workers(thread_count(context));
  for (Worker& worker : workers) worker.writer = std::make_unique<LinkShuffle::Writer>(links.writer());
  Progress progress(context, "link", "anchors", anchors.size());
  anchors.drain(context, 0, anchors.partitions(), memory_bytes,
                [&](unsigned number, std::size_t /*partition*/, const store::Run<Anchor>& run) {
                  Worker& worker = workers[number];
                  const std::span<const Anchor> places = run.records;
                  progress.add(places.size());
                  if (run.first) worker.has_head = false;
                  const bool whole = run.first && run.last;
                  if (whole && places.front().document == places.back().document) return;
                  const AnchorKind kind = kind_of_key(run.key);
                  const bool near = whole && places.size() <= kSmallGroup && (kind == AnchorKind::seed || !shapes.both);
                  const auto link = [&](const Anchor& from, const Anchor& to) {
                    const std::uint64_t distance =
                        table.begins[from.document] + from.token - (table.begins[to.document] + to.token);
                    worker.writer->add({distance << 1U | static_cast<std::uint64_t>(kind), from.document, from.token});
                  };
                  for (std::size_t i = 0; i < places.size(); ++i) {
                    if (table.missing[places[i].document] != 0) continue;
                    if (!worker.has_head) {
                      worker.head = places[i];
                      worker.has_head = true;
                      continue;
                    }
                    link(places[i], worker.head);
                    unsigned found = 0;
                    for (std::size_t j = i; near && found < kPredecessors && j-- > 0;) {
                      const Anchor& other = places[j];
                      if (other.document == worker.head.document) break;
                      if (other.document == places[i].document || table.missing[other.document] != 0) continue;
                      link(places[i], other);
                      ++found;
                    }
                  }
                });
  progress.finish();
}

std::uint64_t grow_links(LinkShuffle& links, const TokenTable& table, const run::TextStore& tokens,
                         const GrowRules& rules, std::uint64_t memory_bytes, MemoryBudget& budget,
                         const Context& context, MatchShuffle& matches, LeftoverShuffle& leftovers) {
  const unsigned threads = thread_count(context);
  struct Worker {
    std::unique_ptr<LinkGrower> grower;
    MatchShuffle::Writer matches;
    LeftoverShuffle::Writer leftovers;
  };
  std::vector<Worker> workers;
  for (unsigned i = 0; i < threads; ++i)
    workers.push_back(
        {std::make_unique<LinkGrower>(table, tokens, rules, budget), matches.writer(), leftovers.writer()});
  Progress progress(context, "grow", "links", links.size());
  links.drain(context, 0, links.partitions(), memory_bytes,
              [&](unsigned number, std::size_t /*partition*/, const store::Run<AnchorLink>& run) {
                Worker& worker = workers[number];
                if (run.first) worker.grower->begin(run.key);
                for (const AnchorLink& link : run.records) worker.grower->add(link);
                if (run.last) worker.grower->end(worker.matches, worker.leftovers);
                progress.add(run.records.size());
              });
  progress.finish();
  std::uint64_t grown = 0;
  for (const Worker& worker : workers) grown += worker.grower->grown();
  return grown;
}

}  // namespace refrain::verbs::index
