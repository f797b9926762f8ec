// The contents of a dedup report besides its totals: gathered from the files of the run and rendered as a page.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"
#include "refrain/explain.h"
#include "verbs/dedup/report/page_data.h"
#include "verbs/dedup/state/run.h"
#include "verbs/evidence/shared_text.h"

namespace refrain::verbs::dedup {

inline constexpr std::size_t kReasons = 6;    // number of values of Reason
inline constexpr std::size_t kIdBytes = 200;  // of a displayed id

// Only this much of a longer text is compared for the page.
inline constexpr std::uint64_t kComparedBytes = 256 << 10;

// A removed document beside the kept one in favor of which it was removed.
struct ShownPair {
  std::string kept_id;
  std::string removed_id;
  double similarity = 0;
  sketch::Loss loss;
  std::uint64_t kept_bytes = 0;
  std::uint64_t removed_bytes = 0;
  std::vector<evidence::ShownPiece> kept;
  std::vector<evidence::ShownPiece> removed;
  std::vector<DifferingHeader> headers;  // of messages; `a` is the kept one's value
};

struct ShownCluster {
  std::uint64_t number = 0;  // as in clusters.tsv
  std::uint64_t size = 0;
  std::uint64_t kept = 0;
  std::array<std::uint64_t, kReasons> removed = {};
  std::uint64_t removed_bytes = 0;
  std::vector<std::string> kept_ids;   // a few
  std::vector<std::string> exact_ids;  // of exact copies, a few
  std::vector<ShownPair> pairs;        // the least similar first
};

// An item of the other set, with the first document that contains it.
struct ShownItem {
  std::string id;
  std::uint64_t documents = 0;  // that contain it
  std::string first_id;
  double share = 0;  // of its tokens that agree in that document
  std::vector<evidence::ShownPiece> text;
};

// A passage that is cut out of several documents, or several times out of one.
struct ShownPassage {
  std::uint64_t cuts = 0;
  std::uint64_t bytes = 0;   // of all cuts
  std::uint64_t length = 0;  // of the longest cut
  std::string id;            // of the document that contains the longest cut
  std::vector<evidence::ShownPiece> text;
};

struct DedupFindings {
  std::uint64_t kept_bytes = 0;  // without what is cut out
  std::uint64_t cut_bytes = 0;   // of kept documents
  std::array<std::uint64_t, kReasons> removed_bytes = {};
  DoublingHistogram cluster_sizes;
  DoublingHistogram kept_lengths;
  DoublingHistogram removed_lengths;
  double bin = 0;                           // width of a class of similarities
  std::uint64_t first_bin = 0;              // similarities[0] counts from first_bin * bin on
  std::vector<std::uint64_t> similarities;  // of matching pairs, without exact copies
  std::uint64_t sources = 0;
  std::vector<SourceLoss> losses;  // the sources that lose the most
  SourceLoss other_sources;        // all other sources together
  std::uint64_t lossless = 0;      // near-duplicates removed without any loss
  DoublingHistogram own_runs;      // of the other near-duplicates: their longest run
  std::vector<ShownPair> details;  // that differ in small things that may be decisive; negations first
  std::vector<ShownPair> worst;    // the largest losses first
  std::vector<ShownCluster> clusters;
  std::vector<ShownItem> items;        // those in the most documents first
  std::vector<ShownPassage> passages;  // largest savings first
};

// Needs eight bytes per document and a few megabytes.
DedupFindings find_dedup(DedupRun& run);

// Parts of the findings. Passages are grouped in a shuffle, so there may be any number of them.
std::vector<ShownItem> find_items(DedupRun& run);
std::vector<ShownPassage> find_passages(DedupRun& run);
// The number of consecutive bytes by which cuts are recognized as the same passage.
std::uint64_t passage_core_bytes(const DedupOptions& options);

// The page. It is the same for the same input and options, except for the part between two comments that mark it.
std::string dedup_page(const DedupOptions& options, const DedupReport& report, const DedupFindings& findings);

// The contents of src/verbs/dedup/report/report.html, which is compiled in.
extern const std::string_view kDedupReportHtml;

// The stage that writes report.html. The totals must already be in run.report.
void dedup_report(DedupRun& run);

}  // namespace refrain::verbs::dedup
