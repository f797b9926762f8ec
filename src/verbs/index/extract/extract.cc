#include "verbs/index/extract/extract.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/files/temp.h"
#include "base/progress.h"
#include "base/threads.h"
#include "refrain/error.h"
#include "verbs/index/extract/plan.h"
#include "verbs/index/extract/stages.h"
#include "verbs/index/query/compare.h"
#include "verbs/index/read/given_texts.h"
#include "verbs/index/read/occurrence.h"
#include "verbs/run/progress.h"

namespace refrain::verbs::index {

namespace {

class Extraction {
 public:
  Extraction(Snapshot& snapshot, const ExtractOptions& options, const Context& context)
      : snapshot_(snapshot),
        options_(options),
        context_(context),
        budget_(context),
        temp_(context),
        shapes_(snapshot.layout()),
        excluded_(options.limits, snapshot.layout(), budget_, context.stop),
        table_(budget_),
        // Anchors and links exist at the same time, and so do links and matches, besides the tokens.
        share_(budget_.available() / 4),
        tokens_(budget_, temp_, share_) {
    check_noise(options_.limits);
    // As in a query, edited passages are found separately, and everything else only where it agrees word for word.
    in_order_.min_tokens = least_tokens(snapshot.layout(), options_.limits);
    if (heavy_) in_order_.edits = Edits::none;
    if (heavy_) in_order_.min_tokens = least_exact_tokens(options_.limits);
    report_.generation = snapshot.manifest().generation;
    report_.identity = snapshot.identity();
    report_.threads = thread_count(context);
    report_.memory_bytes = budget_.ceiling();
  }

  ExtractReport run(PassageSink& sink) {
    const Stopwatch watch;
    read();
    link();
    grow();
    if (heavy_) find_edits();
    TempFile places(temp_);
    Array<FoundPassage> passages = group(places);
    if (options_.limit != 0 && passages.size() > options_.limit) passages.resize(options_.limit);
    run::run_stage(report_.stages, "compare", [&] {
      report_passages(snapshot_, {passages.data(), passages.size()}, places, table_,
                      {options_.limits, least_tokens(snapshot_.layout(), options_.limits), options_.min_documents},
                      budget_, context_, sink, report_);
      return std::uint64_t{0};
    });
    report_.temp_peak_bytes = temp_.peak_bytes();
    report_.peak_rss_bytes = peak_rss_bytes();
    report_.seconds = watch.seconds();
    return report_;
  }

 private:
  store::ShuffleOptions shuffle(const char* what, unsigned key_bits, std::uint64_t expected) {
    return {.what = what,
            .key_bits = key_bits,
            .expected_records = expected,
            .order_values = true,
            .temp = &temp_,
            .memory_bytes = share_};
  }
  unsigned document_bits() const { return std::max(1U, static_cast<unsigned>(std::bit_width(table_.documents()))); }

  void read() {
    std::uint64_t posts = 0;
    for (const blot::SegmentInfo& segment : snapshot_.manifest().segments) posts += segment.posts;
    BlotFilter filter(budget_, posts / 2, share_ / 2);
    run::run_stage(report_.stages, "blots", [&] {
      report_.blots = find_repeated_blots(snapshot_, options_.limits.max_documents, budget_, context_, filter);
      return std::uint64_t{0};
    });
    lay_out(snapshot_, table_);
    temp_.expect(table_.tokens() * sizeof(std::uint32_t) > share_ ? table_.tokens() * sizeof(std::uint32_t) : 0,
                 "the tokens");
    // One anchor per chosen window with a repeated blot, and about as many for runs of tokens.
    const std::uint64_t expected = posts == 0 ? 0 : table_.tokens() * std::min(posts, 2 * report_.blots) / posts;
    anchors_.emplace(shuffle("the anchors", 64, expected), budget_);
    run::run_stage(report_.stages, "tokens",
                   [&] { return find_anchors(snapshot_, filter, context_, table_, tokens_, *anchors_, report_); });
    report_.tokens = table_.tokens();
    for (std::uint64_t i = 0; i < table_.documents(); ++i)
      report_.documents += snapshot_.removed(i) || table_.missing[i] != 0 ? 0 : 1;
  }

  void link() {
    links_.emplace(shuffle("the links", document_bits(), anchors_->size()), budget_);
    run::run_stage(report_.stages, "link", [&] {
      link_anchors(*anchors_, table_, shapes_, share_, context_, *links_);
      return std::uint64_t{0};
    });
    anchors_.reset();
    report_.links = links_->size();
  }

  void grow() {
    matches_.emplace(shuffle("the matches", document_bits(), links_->size() / 16), budget_);
    run::run_stage(report_.stages, "grow", [&] {
      // It exists besides the links and the matches, so its memory comes from the share that is left over.
      store::ShuffleOptions leftover_options = shuffle("the rests", document_bits(), links_->size() / 8);
      leftover_options.memory_bytes = share_ / 4;
      LeftoverShuffle leftovers(leftover_options, budget_);
      report_.grown_tokens = grow_links(*links_, table_, tokens_,
                                        {align_rules(snapshot_.layout(), in_order_), shapes_, in_order_.min_tokens},
                                        share_, budget_, context_, *matches_, leftovers);
      links_.reset();
      settle_leftovers(leftovers, table_, shapes_.window.span(), share_, budget_, context_, *matches_);
      return std::uint64_t{0};
    });
  }

  void find_edits() {
    run::run_stage(report_.stages, "edits", [&] {
      store::ShuffleOptions options = shuffle("the edited matches", document_bits(), table_.documents());
      options.memory_bytes = share_ / 4;
      MatchShuffle found(options, budget_);
      find_edited(snapshot_, options_.limits, excluded_, budget_, context_, table_, found, report_);
      drop_already_reported(found, table_, options, share_ / 4, budget_, context_, *matches_);
      return std::uint64_t{0};
    });
  }

  Array<FoundPassage> group(TempFile& places) {
    std::optional<Array<FoundPassage>> found;
    run::run_stage(report_.stages, "group", [&] {
      found.emplace(group_matches(*matches_, table_, tokens_, {options_.min_documents, excluded_, heavy_}, share_,
                                  budget_, context_, places));
      return places.size();
    });
    matches_.reset();
    return std::move(*found);
  }

  Snapshot& snapshot_;
  ExtractOptions options_;
  const bool heavy_ = options_.limits.edits == Edits::heavy;
  PassageLimits in_order_ = options_.limits;  // the limits of passages that are found in order
  const Context& context_;
  MemoryBudget budget_;
  TempSpace temp_;
  const AnchorShapes shapes_;
  const ExcludedTexts excluded_;
  TokenTable table_;
  const std::uint64_t share_;
  run::TextStore tokens_;
  std::optional<AnchorShuffle> anchors_;
  std::optional<LinkShuffle> links_;
  std::optional<MatchShuffle> matches_;
  ExtractReport report_;
};

}  // namespace

ExtractReport extract_passages(Snapshot& snapshot, const ExtractOptions& options, const Context& context,
                               PassageSink& sink) {
  return Extraction(snapshot, options, context).run(sink);
}

}  // namespace refrain::verbs::index
