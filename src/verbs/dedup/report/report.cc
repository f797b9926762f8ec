// dedup: writes report.html, for people. What it gathers is bounded for any corpus: histograms, the sources that
// lose the most, the largest clusters, and the beginnings of their texts.
#include "verbs/dedup/report/report.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "base/files/file.h"
#include "base/progress.h"
#include "base/threads.h"
#include "corpus/source/reader.h"
#include "engines/sketch/written.h"
#include "refrain/error.h"
#include "refrain/utf8.h"
#include "verbs/dedup/state/compared_texts.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/dedup/state/sources.h"
#include "verbs/evidence/find_documents.h"
#include "verbs/evidence/shared_text.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"

namespace refrain::verbs::dedup {

namespace {

constexpr std::size_t kClusters = 20;
constexpr std::size_t kPairs = 3;
constexpr std::size_t kIds = 5;
constexpr std::size_t kSources = 12;
constexpr std::uint64_t kDocumentsPerCheck = 65536;            // documents between two checks of the stop token
constexpr std::uint64_t kPageBytes = std::uint64_t{16} << 20;  // for the findings and the page
constexpr std::size_t kMostBins = 25;

constexpr std::size_t kLosses = 10;
constexpr std::size_t kDetails = 10;
constexpr std::uint64_t kMostRereadBytes = std::uint64_t{64} << 20;  // maximum bytes of input

// A near-duplicate that was removed, with its match.
struct NearRemoval {
  DocId document = 0;
  DocId match = 0;
  double similarity = 0;
  sketch::Loss loss = {};
};
bool less_similar(const NearRemoval& a, const NearRemoval& b) {
  return a.similarity != b.similarity ? a.similarity < b.similarity : a.document < b.document;
}
bool loses_more(const NearRemoval& a, const NearRemoval& b) {
  if (a.loss.longest != b.loss.longest) return a.loss.longest > b.loss.longest;
  return a.loss.tokens != b.loss.tokens ? a.loss.tokens > b.loss.tokens : a.document < b.document;
}

// Whether the details in which a pair differs are more telling: a negation, then a number, then a symbol.
bool is_more_telling(const NearRemoval& a, const NearRemoval& b) {
  for (const unsigned detail : {sketch::kNegationDetail, sketch::kNumberDetail, sketch::kSymbolDetail})
    if (((a.loss.details ^ b.loss.details) & detail) != 0) return (a.loss.details & detail) != 0;
  return less_similar(a, b);
}

// A displayed cluster, filled as its members are read.
struct Gathered {
  ShownCluster shown;
  std::vector<DocId> kept;
  std::vector<DocId> exact;
  DocId exact_match = 0;
  std::vector<NearRemoval> near;  // the least similar first
};

class Finder {
 public:
  explicit Finder(DedupRun& run) : run_(run) {}

  DedupFindings find() {
    largest_clusters();
    documents();
    similarities();
    texts();
    found_.items = find_items(run_);
    found_.passages = find_passages(run_);
    return std::move(found_);
  }

 private:
  void largest_clusters() {
    Array<std::uint64_t> sizes(run_.budget, "the clusters", run_.documents());
    run::ColumnReader<DocId> clusters(run_.dir.work("clusters"));
    for (DocId cluster = 0; clusters.next(cluster);) ++sizes[cluster];
    struct Sized {
      std::uint64_t size;
      DocId first;
    };
    // The largest clusters come first; equal ones in their order.
    const auto before = [](const Sized& a, const Sized& b) {
      return a.size != b.size ? a.size > b.size : a.first < b.first;
    };
    std::vector<Sized> largest;
    for (DocId document = 0; document < sizes.size(); ++document) {
      const Sized one{sizes[document], document};
      if (one.size < 2) continue;
      found_.cluster_sizes.add(one.size);
      keep_best(largest, one, kClusters, before);
    }
    for (const Sized& one : largest) {
      places_[one.first] = gathered_.size();
      gathered_.emplace_back();
      gathered_.back().shown.number = one.first;
      gathered_.back().shown.size = one.size;
    }
  }

  void documents() {
    const std::uint64_t sources = run_.report.sources;
    Array<std::uint64_t> lost(run_.budget, "what sources lose", sources);
    Array<std::uint64_t> all(run_.budget, "what sources lose", sources);
    DedupOutcome outcome(run_);
    std::vector<ByteRange> cuts;
    run::ColumnReader<DocState> states(run_.dir.work("states"));
    run::ColumnReader<std::uint64_t> ends(run_.dir.work("text_ends"));
    run::ColumnReader<std::uint32_t> source_numbers(run_.dir.work("sources"));
    run::ColumnReader<DocId> clusters(run_.dir.work("clusters"));
    Progress progress(run_.context, "report", "documents", run_.documents());
    Decision decision;
    DocState state{};
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t source = 0;
    DocId cluster = 0;
    for (DocId document = 0; outcome.next(decision, cuts) && states.next(state) && ends.next(end) &&
                             source_numbers.next(source) && clusters.next(cluster);
         ++document, begin = end) {
      if (document % kDocumentsPerCheck == kDocumentsPerCheck - 1) {
        progress.add(kDocumentsPerCheck);
        throw_if_stopped(run_.context);
      }
      if (state == DocState::bad) continue;
      const std::uint64_t bytes = end - begin;
      const auto reason = static_cast<std::size_t>(decision.reason);
      const bool kept = reason == static_cast<std::size_t>(Reason::none);
      ++all[source];
      if (kept) {
        std::uint64_t cut = 0;
        for (const ByteRange& range : cuts) cut += range.end - range.begin;
        found_.cut_bytes += cut;
        found_.kept_bytes += bytes - cut;
        found_.kept_lengths.add(bytes);
      } else {
        ++lost[source];
        found_.removed_bytes[reason] += bytes;
        found_.removed_lengths.add(bytes);
      }
      if (decision.is(Reason::near)) {
        if (decision.loss.longest == 0)
          ++found_.lossless;
        else
          found_.own_runs.add(decision.loss.longest);
        if (decision.loss.details != 0) keep_best(details_, removal(document, decision), kDetails, is_more_telling);
        if (decision.loss.longest != 0) keep_best(worst_, removal(document, decision), kLosses, loses_more);
      }
      if (const auto place = places_.find(cluster); place != places_.end())
        gather(gathered_[place->second], document, decision, bytes);
    }
    progress.finish();
    worst_sources(lost, all);
  }

  static void gather(Gathered& cluster, DocId document, const Decision& decision, std::uint64_t bytes) {
    const auto reason = static_cast<Reason>(decision.reason);
    if (reason == Reason::none) {
      ++cluster.shown.kept;
      if (cluster.kept.size() < kIds) cluster.kept.push_back(document);
      return;
    }
    ++cluster.shown.removed[static_cast<std::size_t>(reason)];
    cluster.shown.removed_bytes += bytes;
    if (reason == Reason::exact) {
      if (cluster.exact.empty()) cluster.exact_match = decision.match;
      if (cluster.exact.size() < kIds) cluster.exact.push_back(document);
    }
    if (reason != Reason::near) return;
    keep_best(cluster.near, removal(document, decision), kPairs, less_similar);
  }

  static NearRemoval removal(DocId document, const Decision& decision) {
    return {document, decision.match, decision.similarity, decision.loss};
  }

  void worst_sources(const Array<std::uint64_t>& lost, const Array<std::uint64_t>& all) {
    found_.sources = lost.size();
    std::vector<std::size_t> worst;
    const auto before = [&](std::size_t a, std::size_t b) { return lost[a] != lost[b] ? lost[a] > lost[b] : a < b; };
    for (std::size_t i = 0; i < lost.size(); ++i) {
      keep_best(worst, i, kSources, before);
      found_.other_sources.documents += all[i];
      found_.other_sources.removed += lost[i];
    }
    const std::vector<std::string> names = source_names(run_.dir, worst);
    for (std::size_t place = 0; place < worst.size(); ++place) {
      const std::size_t i = worst[place];
      found_.losses.push_back({evidence::shortened(names[place], kIdBytes), all[i], lost[i]});
      found_.other_sources.documents -= all[i];
      found_.other_sources.removed -= lost[i];
    }
  }

  void similarities() {
    // Chooses the narrowest classes that are not too many.
    std::uint64_t bins = 100;
    const auto first = [&] {
      const auto at = static_cast<std::uint64_t>(run_.options.threshold * static_cast<double>(bins) + 1e-9);
      return std::min(at, bins - 1);
    };
    for (const std::uint64_t fewer : {std::uint64_t{50}, std::uint64_t{20}})
      if (bins - first() > kMostBins) bins = fewer;
    found_.bin = 1 / static_cast<double>(bins);
    found_.first_bin = first();
    found_.similarities.resize(static_cast<std::size_t>(bins - found_.first_bin));
    run::ColumnReader<RankMatch> matches(run_.dir.work("matches"));
    for (RankMatch match; matches.next(match);) {
      const auto at = static_cast<std::uint64_t>(match.similarity * static_cast<double>(bins) + 1e-9);
      const std::uint64_t bin = std::clamp(at, found_.first_bin, bins - 1) - found_.first_bin;
      ++found_.similarities[static_cast<std::size_t>(bin)];
    }
  }

  void texts() {
    const text::FeaturePlan plan(run_.options.windows);
    MatchIds ids(run_);
    ComparedTexts compared(run_);
    const auto id = [&](DocId document) {
      return evidence::shortened(ids.get(document), kIdBytes) + (ids.known(document) != nullptr ? " (known)" : "");
    };
    const auto text = [&](DocId document, std::uint64_t& size) {
      size = compared.bytes(document);
      std::string beginning = compared.beginning(document, kComparedBytes);
      if (beginning.size() < size) beginning.resize(boundary_before(beginning, beginning.size() - 1));
      return beginning;
    };
    const auto show = [&](const NearRemoval& near) {
      ShownPair pair;
      pair.similarity = near.similarity;
      pair.loss = near.loss;
      pair.headers = evidence::differing_headers(headers_[near.match], headers_[near.document]);
      pair.kept_id = id(near.match);
      pair.removed_id = id(near.document);
      const std::string kept = text(near.match, pair.kept_bytes);
      const std::string removed = text(near.document, pair.removed_bytes);
      if (kept == removed) {
        // Handled separately, because texts too short for windows are equal, too.
        const ByteRange whole{0, kept.size()};
        pair.kept = pair.removed = evidence::shown_text(kept, {&whole, 1}, pair.kept_bytes - kept.size());
      } else {
        const evidence::SharedText shared =
            evidence::shared_text(kept, removed, plan, run_.budget, run_.context,
                                  {compared.left_out(near.match), compared.left_out(near.document)});
        pair.kept = evidence::shown_text(kept, shared.a.shared, pair.kept_bytes - kept.size());
        pair.removed = evidence::shown_text(removed, shared.b.shared, pair.removed_bytes - removed.size());
      }
      return pair;
    };
    for (Gathered& cluster : gathered_) {
      // For a cluster of exact copies, one pair is enough.
      if (cluster.near.empty() && !cluster.exact.empty())
        cluster.near.push_back({.document = cluster.exact.front(), .match = cluster.exact_match, .similarity = 1});
    }
    read_headers();
    for (Gathered& cluster : gathered_) {
      throw_if_stopped(run_.context);
      ShownCluster& shown = cluster.shown;
      for (const DocId document : cluster.kept) shown.kept_ids.push_back(id(document));
      for (const DocId document : cluster.exact) shown.exact_ids.push_back(id(document));
      for (const NearRemoval& near : cluster.near) shown.pairs.push_back(show(near));
      found_.clusters.push_back(std::move(shown));
    }
    for (const NearRemoval& near : details_) found_.details.push_back(show(near));
    for (const NearRemoval& near : worst_) found_.worst.push_back(show(near));
  }

  // Reads the headers of displayed messages. A run does not store them, so a small input is read once more.
  void read_headers() {
    const ReadReport& read = run_.report.read;
    corpus::SourceOptions input = corpus::reread_options(run_.options.input, read);
    if (read.mails == 0 || std::max(read.bytes, read.text_bytes) > kMostRereadBytes || input.documents != nullptr ||
        std::ranges::find(input.paths, "-") != input.paths.end() || input.compare != ComparedMail::body)
      return;
    input.compare = ComparedMail::headers;
    std::set<DocId> documents;
    const auto add = [&](const std::vector<NearRemoval>& pairs) {
      for (const NearRemoval& pair : pairs) documents.insert({pair.document, pair.match});
    };
    for (const Gathered& cluster : gathered_) add(cluster.near);
    add(details_);
    add(worst_);
    MatchIds ids(run_);
    run::ColumnReader<Digest> digests(run_.dir.work("hashes"));
    std::vector<DocId> numbers;
    std::vector<evidence::WantedDocument> wanted;
    for (const DocId document : documents) {
      Digest digest;
      digests.seek(document);
      if (ids.known(document) != nullptr || !digests.next(digest)) continue;
      numbers.push_back(document);
      wanted.push_back({.id = std::string(ids.get(document)), .sum = digest.high});
    }
    Context quiet = run_.context;
    quiet.progress = nullptr;
    try {
      evidence::find_documents(input, quiet, run_.budget, wanted);
    } catch (const Error& error) {
      // The page works without headers, for example if a file no longer exists.
      if (error.code() == Errc::interrupted || error.code() == Errc::over_budget) throw;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) headers_[numbers[i]] = std::move(wanted[i].headers);
  }

  DedupRun& run_;
  DedupFindings found_;
  std::unordered_map<DocId, std::string> headers_;  // of displayed messages
  std::vector<Gathered> gathered_;
  std::vector<NearRemoval> details_;
  std::vector<NearRemoval> worst_;
  std::unordered_map<DocId, std::size_t> places_;  // index in gathered_, by cluster
};

}  // namespace

DedupFindings find_dedup(DedupRun& run) {
  return Finder(run).find();
}

void dedup_report(DedupRun& run) {
  const Reservation room = run.budget.reserve(kPageBytes, "the report");
  const DedupFindings findings = find_dedup(run);
  run.report.kept_bytes = findings.kept_bytes;
  run::RunFile file = run.dir.create_output("report.html");
  file.write(dedup_page(run.options, run.report, findings));
  run.dir.close(file);
}

}  // namespace refrain::verbs::dedup
