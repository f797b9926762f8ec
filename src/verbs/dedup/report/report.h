// What the report of a dedup run tells beside its figures: gathered from the files of the run, and made into a page.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/dedup.h"
#include "verbs/dedup/report/chart.h"
#include "verbs/dedup/state/run.h"
#include "verbs/evidence/shown_text.h"

namespace refrain::verbs::dedup {

inline constexpr std::size_t kReasons = 5;    // of Reason
inline constexpr std::size_t kIdBytes = 200;  // of an id that is shown

// Of longer texts so much is compared, for the page.
inline constexpr std::uint64_t kComparedBytes = 256 << 10;

// A removed document beside the kept one that it was removed for.
struct ShownPair {
  std::string kept_id;
  std::string removed_id;
  double similarity = 0;
  sketch::Loss loss;
  std::uint64_t kept_bytes = 0;
  std::uint64_t removed_bytes = 0;
  std::vector<evidence::ShownPiece> kept;
  std::vector<evidence::ShownPiece> removed;
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

// An item of the other set, where it stands first.
struct ShownItem {
  std::string id;
  std::uint64_t documents = 0;  // in which it stands
  std::string first_id;
  double share = 0;  // of its tokens that agree there
  std::vector<evidence::ShownPiece> text;
};

// A passage that is cut out of several documents, or several times.
struct ShownPassage {
  std::uint64_t cuts = 0;
  std::uint64_t bytes = 0;   // of all of them
  std::uint64_t length = 0;  // of the longest
  std::string id;            // of the document that it is cut out of
  std::vector<evidence::ShownPiece> text;
};

struct DedupFindings {
  std::uint64_t documents = 0;  // that could be read
  std::uint64_t kept = 0;
  std::uint64_t kept_bytes = 0;  // less what is cut out
  std::uint64_t cut_bytes = 0;
  std::uint64_t cut_documents = 0;
  std::uint64_t text_bytes = 0;
  std::array<std::uint64_t, kReasons> removed = {};
  std::array<std::uint64_t, kReasons> removed_bytes = {};
  Doubling cluster_sizes;
  Doubling kept_lengths;
  Doubling removed_lengths;
  double bin = 0;                           // the width of a class of similarities
  std::uint64_t first_bin = 0;              // similarities[0] is from first_bin * bin on
  std::vector<std::uint64_t> similarities;  // of pairs that match and are no exact copies
  std::uint64_t sources = 0;
  std::vector<SourceLoss> losses;  // the sources that lose most
  SourceLoss other_sources;        // all others together
  std::uint64_t lossless = 0;      // removed as near, with nothing of their own
  Doubling own_runs;               // of the others: the longest run
  std::vector<ShownPair> worst;    // the largest losses first
  std::vector<ShownCluster> clusters;
  std::vector<ShownItem> items;        // in most documents first
  std::vector<ShownPassage> passages;  // by what is saved
};

// Needs eight bytes a document, and some megabytes.
DedupFindings find_dedup(DedupRun& run);

// Parts of those. Passages meet in a shuffle, so they may be any number.
std::vector<ShownItem> find_items(DedupRun& run);
std::vector<ShownPassage> find_passages(DedupRun& run);
// Bytes in a row by which cuts are known to be of one passage.
std::uint64_t passage_core_bytes(const DedupOptions& options);

// The page. The same for the same input and options, but for what stands between two comments that say so.
std::string dedup_page(const DedupOptions& options, const DedupReport& report, const DedupFindings& findings);

// src/verbs/dedup/report/report.html, which is compiled in.
extern const std::string_view kDedupReportHtml;

// The stage: report.html. The figures of run.report are there.
void dedup_report(DedupRun& run);

}  // namespace refrain::verbs::dedup
