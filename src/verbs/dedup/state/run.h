// The stages of a dedup run share its state and the files that one stage leaves to the next.
//
// In `work`. Most are columns: one value per document of the input, in input order. Others hold strings end to end,
// with a file of their ends.
//   text.0, .., text.order, text_ends   the texts, striped (verbs/run/columns/slice_file.h)
//   ids, id_ends            the ids; ordinals in decimal if the input has none
//   hashes                  Digest: 128 bits per text
//   states                  DocState
//   sources, source_names   uint32: the number of its source; the names, one per line, escaped
//   keys                    uint64: the key of the keep policy, the least first; not for `first`
//   lanes, bands.0, ..      minhash: its signature, one byte per lane; uint32: its key in each band
//   fingerprints            simhash: uint64
//   templates               windows left out of comparisons (verbs/run/columns/template_file.h)
//   lanes.left, ..          if there are templates: the columns of the method, computed from what is left
//   places, place_files     PlaceRow: where its text is in the input; the files, one per line: format, path, escaped
//   overrides               Target: documents that people decided about, in order (state/overrides.h)
//   heads                   uint64: the best-ranked document with the same text; itself if there is none, or if
//                           people tell it apart
//   against, against_spans  AgainstHit: documents that contain an item of the other set; ByteRange: where
//   against_items, against_found, against_ids, against_id_ends
//                           the items of the other set (verbs/dedup/against/against.h)
//   known_pairs             KnownPair: pairs with a document of a library, in order (libraries/libraries.h)
//   known                   KnownHit: documents that may match one of a library, in order
//   known_documents, known_ids, known_text, known_left_out
//                           the documents of libraries (state/known_documents.h)
//   candidates              RankPair: pairs that met in the first round, in order
//   crowded                 uint8, by rank: 1 for a document of a crowd (near/finder.h)
//   matches                 RankMatch: pairs that match, in order
//   clusters                uint64: the first document of its cluster
//   decided                 Decision
//   spans                   CutSpan: ranges to cut out of kept documents, in order
//   emptied                 uint64: kept documents of which nothing is left
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/files/temp.h"
#include "base/hash.h"
#include "engines/sketch/loss.h"
#include "engines/sketch/written.h"
#include "refrain/dedup.h"
#include "verbs/dedup/state/facts.h"
#include "verbs/dedup/state/overrides.h"
#include "verbs/dedup/state/plan.h"
#include "verbs/dedup/state/ranks.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/slice_file.h"
#include "verbs/run/columns/template_file.h"
#include "verbs/run/dir.h"

namespace refrain::library {
class LibraryWriter;
}

namespace refrain::verbs::dedup {

// The suffix of columns that are computed from what is left of the documents without their templates.
inline constexpr const char* kLeft = ".left";

enum class DocState : std::uint8_t { judged, too_short, bad };

// A pair of documents, given by their ranks; 0 is the best.
struct RankPair {
  std::uint64_t later = 0;
  std::uint64_t earlier = 0;
  friend auto operator<=>(const RankPair&, const RankPair&) = default;
};
struct RankMatch {
  RankPair pair;
  double similarity = 0;
  sketch::Loss loss = {};  // what the later one loses if it is removed in favor of the earlier
};

inline constexpr const char* kAgainstStage = "against";

// Whether the kept documents go into a library.
bool updates_library(const DedupOptions& options);
// A file of the input, or of the `against` set, that changed after `since`, if there is one.
std::optional<std::string> changed_input(const DedupOptions& options, const timespec& since);

class NearFinder;
class KnownDocuments;

struct DedupRun {
  DedupRun(const Plan& plan_in, const Context& context_in);

  const Plan& plan;
  const DedupOptions& options;  // the plan's
  const Context& context;
  const std::string name;        // a digest of the identity: 32 hexadecimal digits
  const NearFinder* const near;  // the method (near/finder.h); null if it is off
  const unsigned threads;
  MemoryBudget budget;
  const Reservation listings[2];  // of the input, and of the `against` set
  const Reservation people;       // what they decided
  TempSpace temp;
  run::RunDir dir;
  DedupReport report;       // what the stages have found so far
  std::string looked_up;    // state of the growing library when it was looked into; empty: there was none
  std::string library_run;  // the name of this run in the library
  library::LibraryWriter* library = nullptr;  // the library that grows, locked as long as the run lives; null: none

  // The number of values in a column: bad records are included. Valid after the first stage.
  std::uint64_t documents() const { return report.read.documents + report.read.bad_records; }
  bool looks_up() const { return dedup::looks_up(options); }
  bool updates_library() const { return dedup::updates_library(options); }
  sketch::MatchRule rule() const { return sketch::MatchRule::of(options.match()); }
  bool against() const { return !options.against.empty(); }
  // Whether documents that contain an item of the `against` set are removed.
  bool against_removes() const { return against() && options.against_action == AgainstAction::remove; }
  // The decisions of people. Valid after the stage `overrides`. Thread-safe.
  const RunOverrides& overrides();
  // Whether the later document of a similar pair may be removed in favor of the earlier one.
  bool covers(const sketch::Loss& loss) const { return rule().covers(loss); }
  bool covers(const RankMatch& match) const { return covers(match.loss); }
  Ranks ranks();
  // The texts of all documents, end to end. Thread-safe.
  std::shared_ptr<const run::StripedFile> texts();
  // The windows left out when documents are compared; null if there are none. Thread-safe.
  std::shared_ptr<const run::TemplateFile> templates();
  // The documents of libraries that documents of the input may match; null without libraries. Thread-safe.
  std::shared_ptr<const KnownDocuments> known_documents();
  // The path of a column of the near method, computed from what is left of the documents.
  std::filesystem::path sketches(const std::string& column);
  // Closes the texts, which will not be read again: an open file takes up disk space even after it is removed.
  void close_texts();

 private:
  std::mutex mutex_;
  bool has_templates() const;

  std::shared_ptr<const run::StripedFile> texts_;  // opened once, because many threads read
  std::weak_ptr<const run::TemplateFile> templates_;
  std::weak_ptr<const KnownDocuments> known_;
  std::optional<RunOverrides> overrides_;
};

// Markers keep these fields of a run.
void visit_fields(run::SameOrConst<DedupRun> auto& run, auto field) {
  field("report", run.report);
  field("read", run.report.read);
  field("read_against", run.report.against.read);
  field("absent_sources", run.report.absent_sources);
  field("shared_id", run.report.shared_id);
  field("written_bytes", run.report.written_bytes);
  field("read_back", run.report.read_back);
  field("looked_up", run.looked_up);
  field("library_run", run.library_run);
}

}  // namespace refrain::verbs::dedup
