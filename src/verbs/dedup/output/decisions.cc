#include "verbs/dedup/output/decisions.h"

#include <bit>
#include <filesystem>

#include "engines/sketch/written.h"
#include "store/shuffle.h"
#include "verbs/dedup/near/finder.h"

namespace refrain::verbs::dedup {

Clusters::Clusters(DedupRun& run)
    : first_(run::load_column<DocId>(run.dir.work("clusters"), run.budget, "the clusters")),
      shared_(run.budget, "the clusters", first_.size()) {
  for (DocId document = 0; document < first_.size(); ++document)
    if (first_[document] != document) shared_[document] = shared_[first_[document]] = 1;
}

DecisionReader::DecisionReader(DedupRun& run, const Clusters& clusters)
    : run_(run),
      clusters_(clusters),
      overrides_(run.overrides()),
      ids_(run.dir.work("ids"), run.dir.work("id_ends")),
      matched_(run),
      states_(run.dir.work("states")),
      digests_(run.dir.work("hashes")),
      against_(run),
      known_(run),
      outcome_(run) {}

void DecisionReader::seek(DocId document) {
  states_.seek(document);
  digests_.seek(document);
  outcome_.seek(document);
  document_ = document;
}

bool DecisionReader::next(DocId last, DecisionRow& row) {
  DocState state{};
  Digest digest;
  while (document_ < last && states_.next(state) && digests_.next(digest) && outcome_.next(decision_, row.spans)) {
    const DocId document = document_++;
    if (state == DocState::bad) continue;
    row.digest = digest.high;
    fill(document, row);
    return true;
  }
  return false;
}

void DecisionReader::fill(DocId document, DecisionRow& row) {
  const auto reason = static_cast<Reason>(decision_.reason);
  const bool own_text = decision_.own_text != 0;
  row.id = ids_.get(document, id_);
  row.cluster = clusters_.of(document);
  row.keep = reason == Reason::none;
  row.reason = !row.keep ? reason_name(reason) : own_text ? "own_text" : "";
  row.match.reset();
  row.similarity.reset();
  if (reason != Reason::substring && reason != Reason::overridden && (own_text || !row.keep)) {
    row.match = reason == Reason::against ? against_.id(decision_.match) : matched_.get(decision_.match);
    row.similarity = decision_.similarity;
  }
  fill_known(document, row);
  const bool compared = reason == Reason::near || own_text;
  row.lost = compared ? std::optional<std::uint64_t>(decision_.loss.tokens) : std::nullopt;
  row.longest_lost = compared ? std::optional<std::uint64_t>(decision_.loss.longest) : std::nullopt;
  row.lost_attachments.reset();
  if (decision_.loss.attachments != 0) row.lost_attachments = decision_.loss.attachments;
  row.as_written.reset();
  if (own_text && decision_.loss.written < 1) row.as_written = decision_.loss.written;
  row.differs_in.reset();
  if (reason == Reason::near && decision_.loss.details != 0)
    row.differs_in = sketch::detail_names(decision_.loss.details);
  if (reason == Reason::against) row.spans = against_.spans(document);
  row.decision = overrides_.decisive(document);
  row.against.reset();
  if (run_.against() && !run_.against_removes())
    if (const AgainstHit* hit = against_.hit(document); hit != nullptr)
      row.against = {std::string(against_.id(hit->item)), hit->share, against_.spans(document)};
}

// If the match is not a document of the input, sets the library that holds it.
void DecisionReader::fill_known(DocId document, DecisionRow& row) {
  const auto library_of = [&](const KnownRow& known) {
    const std::vector<std::filesystem::path>& all = run_.options.known;
    return (known.library < all.size() ? all[known.library] : run_.options.library).string();
  };
  row.known.reset();
  row.known_digest.reset();
  row.verified = true;
  row.unverified.reset();
  const auto reason = static_cast<Reason>(decision_.reason);
  const bool matched = reason == Reason::exact || reason == Reason::near || decision_.own_text != 0;
  if (matched && matched_.known(decision_.match) != nullptr) {
    const KnownRow known = matched_.known(decision_.match)->row(decision_.match);
    row.known = library_of(known);
    row.known_digest = to_hex(known.digest);
    row.verified = known.there != 0;
  } else if (const KnownHit* hit = known_.find(document); hit != nullptr && hit->kind == KnownHit::gone) {
    row.unverified = matched_.get(hit->match);
    row.known = library_of(matched_.known(hit->match)->row(hit->match));
  }
}

namespace {

struct Pair {
  DocId first;
  DocId second;
  double similarity;
  friend bool operator<(const Pair& a, const Pair& b) { return a.second < b.second; }
};
struct FirstOfPair {
  std::uint64_t operator()(const Pair& pair) const { return pair.first; }
};

}  // namespace

void for_each_match(DedupRun& run, const std::function<void(const MatchRow&)>& add) {
  const Ranks ranks = run.ranks();
  store::Shuffle<Pair, FirstOfPair> pairs({.what = "the matches",
                                           .key_bits = static_cast<unsigned>(std::bit_width(ranks.size() | 1)),
                                           .expected_records = static_cast<std::size_t>(run.report.matches),
                                           .order_values = true,
                                           .temp = &run.temp,
                                           .memory_bytes = run.budget.available() / 2},
                                          run.budget);
  {
    auto writer = pairs.writer();
    const auto put = [&](DocId a, DocId b, double similarity) {
      writer.add({std::min(a, b), std::max(a, b), similarity});
    };
    run::ColumnReader<DocId> heads(run.dir.work("heads"));
    DocId head = 0;
    for (DocId document = 0; heads.next(head); ++document)
      if (head != document) put(head, document, 1);
    run::ColumnReader<RankMatch> matches(run.dir.work("matches"));
    for (RankMatch match; matches.next(match);)
      put(ranks.document(match.pair.later), ranks.document(match.pair.earlier), match.similarity);
  }
  run::SliceFile ids(run.dir.work("ids"), run.dir.work("id_ends"));
  run::SliceFile others(run.dir.work("ids"), run.dir.work("id_ends"));
  const std::unique_ptr<SketchDifference> difference = run.near != nullptr ? run.near->difference(run) : nullptr;
  Context in_order = run.context;
  in_order.threads = 1;
  std::string first;
  std::string second;
  pairs.for_each_run(in_order, [&](unsigned, std::size_t, const store::Run<Pair>& records) {
    const std::string_view id1 = ids.get(records.key, first);
    for (const Pair& pair : records.records) {
      MatchRow row{.id1 = id1, .id2 = others.get(pair.second, second), .similarity = pair.similarity, .diff = {}};
      if (difference) row.diff = difference->of(pair.first, pair.second);
      add(row);
    }
  });
}

}  // namespace refrain::verbs::dedup
