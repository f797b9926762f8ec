// What the stages of a dedup run share, and the files that they leave to each other.
//
// In `work`, a value for every document of the input, in input order (columns), or strings end to end and their ends:
//   text, text_ends         the texts
//   ids, id_ends            the ids; ordinals in decimal where the input gives none
//   hashes                  Digest: 128 bits of each text
//   states                  DocState
//   sources, source_names   uint32: the number of its source; the names, a line each, escaped
//   keys                    uint64: what the keep policy ranks by, the least first; not for `first`
//   bands.0, bands.1, ..    uint32: the document's key in each band
//   lanes                   its signature, a byte a lane
//   fingerprints            uint64: its SimHash
//   heads                   uint64: the best-ranked document with the same text; itself where there is none
//   against, against_spans  AgainstHit: documents in which an item of the other set stands; ByteRange: where
//   against_items, against_found, against_ids, against_id_ends
//                           the items of the other set, as pipeline/dedup_against.h says
//   candidates              RankPair: pairs that met in the first round, in order
//   matches                 RankMatch: pairs that match, in order
//   clusters                uint64: the first document of its cluster
//   decided                 Decision
//   spans                   CutSpan: what goes of the kept documents, in order
//   emptied                 uint64: kept documents of which nothing is left
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/checksum.h"
#include "base/temp_space.h"
#include "match/bands.h"
#include "pipeline/column.h"
#include "pipeline/run_dir.h"
#include "refrain/dedup.h"

namespace refrain {

struct DedupRun;

enum class DocState : std::uint8_t { judged, too_short, bad };

// Documents by their rank: 0 is the best.
struct RankPair {
  std::uint64_t later = 0;
  std::uint64_t earlier = 0;
  friend auto operator<=>(const RankPair&, const RankPair&) = default;
};
struct RankMatch {
  RankPair pair;
  double similarity = 0;
};

struct Decision {
  DocId match = 0;  // of what is not kept; for Reason::against the number of an item of the other set
  double similarity = 0;
  std::uint64_t reason = 0;  // Reason; none where it is kept
};

// Bytes of a kept document that go.
struct CutSpan {
  DocId document = 0;
  ByteRange bytes;
};

// What was decided of one document after the other, substrings included.
class DedupOutcome {
 public:
  explicit DedupOutcome(DedupRun& run);
  // The same before `substrings` has run.
  static DedupOutcome without_substrings(DedupRun& run);
  // False at the end. `spans`: what is cut out of a kept document. Of one that was removed for Reason::substring the
  // match is no other document.
  bool next(Decision& decision, std::vector<ByteRange>& spans);

 private:
  explicit DedupOutcome(const RunDir& dir) : decisions_(dir.work("decided")) {}

  ColumnReader<Decision> decisions_;
  std::optional<ColumnReader<CutSpan>> spans_;
  std::optional<ColumnReader<DocId>> emptied_;
  CutSpan next_span_;
  DocId next_emptied_ = 0;
  bool more_spans_ = false;
  bool more_emptied_ = false;
  DocId document_ = 0;
};

// The order in which documents are decided.
class Ranks {
 public:
  // Input order.
  Ranks(MemoryBudget& budget, std::uint64_t documents);
  // By `keys`, ties in input order.
  Ranks(MemoryBudget& budget, const Array<std::uint64_t>& keys);

  std::uint64_t size() const { return size_; }
  DocId document(std::uint64_t rank) const { return documents_.empty() ? rank : documents_[rank]; }
  std::uint64_t rank(DocId document) const { return ranks_.empty() ? document : ranks_[document]; }

 private:
  std::uint64_t size_;
  Array<DocId> documents_;
  Array<std::uint64_t> ranks_;
};

struct DedupRun {
  DedupRun(const DedupOptions& options_in, const Context& context_in);

  const DedupOptions& options;
  const Context& context;
  const unsigned threads;
  MemoryBudget budget;
  TempSpace temp;
  RunDir dir;
  DedupReport report;

  // After the first stage.
  std::uint64_t documents() { return dir.facts().number("documents"); }
  bool against() const { return !options.against.paths.empty(); }
  // Documents that hold an item of the other set are removed.
  bool against_removes() const { return against() && options.against_action == AgainstAction::remove; }
  bool near() const { return options.near != NearMethod::off; }
  Ranks ranks();
};

// "bands.0" and so on.
std::string band_name(unsigned band);

// Whether attributes can be written, where they are asked for; told before anything is read.
void check_attributes(const DedupOptions& options, const Context& context);

// Finds out, at the end of the first stage, how many documents have the id of an earlier one.
void count_shared_ids(DedupRun& run);

// A stage each.
void dedup_read(DedupRun& run);
void dedup_exact(DedupRun& run);
void dedup_against(DedupRun& run);     // only where there is another set
void dedup_candidates(DedupRun& run);  // "near"
void dedup_verify(DedupRun& run);
void dedup_cluster(DedupRun& run);
void dedup_decide(DedupRun& run);
void dedup_check(DedupRun& run);
void dedup_substrings(DedupRun& run);
void dedup_write(DedupRun& run);
void dedup_apply(DedupRun& run);
void dedup_read_back(DedupRun& run);
void dedup_annotate(DedupRun& run);
void dedup_attributes(DedupRun& run);
void dedup_report(DedupRun& run);  // report.html; the figures of run.report are there

}  // namespace refrain
