#include "engines/blot/chains.h"
#include "verbs/index/extract/stages.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/progress.h"
#include "base/threads.h"

namespace refrain::verbs::index {

namespace {

// Turns the matches of a source document into passages, one document after another.
class Grouper {
 public:
  Grouper(const TokenTable& table, const run::TextStore& tokens, const GroupRules& rules, MemoryBudget& budget,
          TempFile& places)
      : table_(table),
        tokens_(tokens),
        rules_(rules),
        budget_(budget),
        places_(places),
        gathered_(budget, "the matches of a document"),
        found_(budget, "the passages") {}

  // Matches are added in order.
  void add(const PassageMatch& match) {
    if (rules_.nested)
      gathered_.push_back(match);
    else
      join(match);
  }
  // Called after the last match of the document.
  void end() {
    drop_nested();
    for (const PassageMatch& match : gathered_) join(match);
    gathered_.clear();
    close([](const Open&) { return true; });
    has_last_ = false;
  }
  const Array<FoundPassage>& found() const { return found_; }

 private:
  // Removes matches that lie inside another one in both documents.
  void drop_nested() {
    constexpr std::size_t kMostBeside = 256;
    const auto ends = [](const PassageMatch& x) { return std::pair(x.a + x.a_length, x.b + x.b_length); };
    std::sort(gathered_.begin(), gathered_.end(), [](const PassageMatch& x, const PassageMatch& y) {
      return std::tie(x.b, y.b_length, x.a, y.a_length) < std::tie(y.b, x.b_length, y.a, x.a_length);
    });
    std::vector<PassageMatch> beside;  // kept matches that may contain the next one
    std::size_t kept = 0;
    for (const PassageMatch& match : gathered_) {
      std::erase_if(beside, [&](const PassageMatch& other) { return ends(other).second <= match.b; });
      const bool is_nested = std::any_of(beside.begin(), beside.end(), [&](const PassageMatch& other) {
        return other.a <= match.a && ends(other).first >= ends(match).first && ends(other).second >= ends(match).second;
      });
      if (is_nested) continue;
      if (beside.size() == kMostBeside) beside.erase(beside.begin());
      beside.push_back(match);
      gathered_[kept++] = match;
    }
    gathered_.resize(kept);
    std::sort(gathered_.begin(), gathered_.end());
  }

  void join(const PassageMatch& match) {
    if (has_last_ && match == last_) return;
    last_ = match;
    has_last_ = true;
    if (is_excluded(match)) return;
    close([&](const Open& open) { return 5 * (match.a - open.begin) > open.first_end - open.begin; });
    const std::uint64_t end = match.a + match.a_length;
    auto joined = std::find_if(open_.begin(), open_.end(), [&](const auto& open) {
      return blot::nearly_same(open->begin, open->first_end, match.a, end);
    });
    if (joined == open_.end()) {
      open_.push_back(std::make_unique<Open>(budget_));
      joined = open_.end() - 1;
      (*joined)->begin = match.a;
      (*joined)->first_end = (*joined)->end = end;
    }
    Open& open = **joined;
    open.end = std::max(open.end, end);
    open.places.push_back({match.a, match.b, match.a_length, match.b_length, match.matches});
  }

  // A passage that places may still join. Its first place defines its range, which later places extend at the end.
  struct Open {
    explicit Open(MemoryBudget& budget) : places(budget, "the places of a passage") {}
    std::uint64_t begin = 0;
    std::uint64_t first_end = 0;
    std::uint64_t end = 0;
    Array<PassagePlace> places;
  };

  template <class Done>
  void close(Done done) {
    std::erase_if(open_, [&](auto& open) {
      if (!done(*open)) return false;
      finish(*open);
      return true;
    });
  }

  void finish(Open& open) {
    keep_apart(open);
    const std::uint64_t source = table_.document_at(open.begin);
    FoundPassage passage{open.begin, open.end, 1, open.places.size(), 0, 0};
    std::uint64_t last_document = source;
    double similarity = 0;
    for (const PassagePlace& place : open.places) {
      if (place.b >= table_.begins[last_document + 1]) {
        last_document = table_.document_at(place.b);
        ++passage.documents;
      }
      similarity += static_cast<double>(place.matches) /
                    static_cast<double>(std::max<std::uint64_t>(open.end - open.begin, place.b_length));
    }
    if (open.places.empty() || passage.documents < rules_.min_documents) return;
    passage.similarity = similarity / static_cast<double>(open.places.size());
    passage.offset =
        places_.append({reinterpret_cast<const char*>(open.places.data()), open.places.size() * sizeof(PassagePlace)});
    found_.push_back(passage);
  }

  // Sorts the places by document and drops those that lie inside others. A place that only overlaps another is kept,
  // since the remainder may not be reported anywhere else.
  void keep_apart(Open& open) const {
    std::sort(open.places.begin(), open.places.end(), [](const PassagePlace& x, const PassagePlace& y) {
      return std::tie(x.b, y.matches, x.b_length, x.a, x.a_length) <
             std::tie(y.b, x.matches, y.b_length, y.a, y.a_length);
    });
    std::size_t kept = 0;
    for (const PassagePlace& place : open.places) {
      if (place.b < open.end) continue;  // it overlaps the passage itself
      if (kept > 0) {
        PassagePlace& last = open.places[kept - 1];
        if (place.b + place.b_length <= last.b + last.b_length) continue;
        if (place.b == last.b) {
          last = place;
          continue;
        }
      }
      open.places[kept++] = place;
    }
    open.places.resize(kept);
  }

  // Decided by the two stretches of this match alone, as in a query, whatever other documents share about the same.
  bool is_excluded(const PassageMatch& match) {
    if (rules_.excluded.empty()) return false;
    const char* bytes = tokens_.read(match.a * sizeof(std::uint32_t), match.a_length * sizeof(std::uint32_t), scratch_);
    return rules_.excluded.hold({reinterpret_cast<const std::uint32_t*>(bytes), match.a_length});
  }

  const TokenTable& table_;
  const run::TextStore& tokens_;
  const GroupRules& rules_;
  MemoryBudget& budget_;
  TempFile& places_;
  std::vector<std::unique_ptr<Open>> open_;
  Array<PassageMatch> gathered_;  // of the document, if they may be nested
  PassageMatch last_{};
  bool has_last_ = false;
  Array<FoundPassage> found_;
  std::vector<char> scratch_;
};

}  // namespace

Array<FoundPassage> group_matches(MatchShuffle& matches, const TokenTable& table, const run::TextStore& tokens,
                                  const GroupRules& rules, std::uint64_t memory_bytes, MemoryBudget& budget,
                                  const Context& context, TempFile& places) {
  std::vector<std::unique_ptr<Grouper>> groupers(thread_count(context));
  for (auto& grouper : groupers) grouper = std::make_unique<Grouper>(table, tokens, rules, budget, places);
  Progress progress(context, "group", "matches", matches.size());
  matches.drain(context, 0, matches.partitions(), memory_bytes,
                [&](unsigned worker, std::size_t /*partition*/, const store::Run<PassageMatch>& run) {
                  for (const PassageMatch& match : run.records) groupers[worker]->add(match);
                  if (run.last) groupers[worker]->end();
                  progress.add(run.records.size());
                });
  progress.finish();
  Array<FoundPassage> found(budget, "the passages");
  for (auto& grouper : groupers) {
    found.append({grouper->found().data(), grouper->found().size()});
    grouper.reset();
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace refrain::verbs::index
