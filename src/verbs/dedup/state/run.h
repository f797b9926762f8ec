// What the stages of a dedup run share, and the files that they leave to each other.
//
// In `work`, a value for every document of the input, in input order (columns), or strings end to end and their ends:
//   text.0, .., text.order, text_ends   the texts, striped (verbs/run/columns/striped_file.h)
//   ids, id_ends            the ids; ordinals in decimal where the input gives none
//   hashes                  Digest: 128 bits of each text
//   states                  DocState
//   sources, source_names   uint32: the number of its source; the names, a line each, escaped
//   keys                    uint64: what the keep policy ranks by, the least first; not for `first`
//   lanes, bands.0, ..      minhash: its signature, a byte a lane; uint32: its key in each band
//   fingerprints            simhash: uint64
//   templates               what is left out where documents are compared (verbs/run/columns/template_file.h)
//   lanes.left, ..          where there are templates: the columns of the method anew, of what is left
//   places, place_files     library::TextPlace: where it lies in the input; the files, a line each: format, path, escaped
//   heads                   uint64: the best-ranked document with the same text; itself where there is none
//   against, against_spans  AgainstHit: documents in which an item of the other set stands; ByteRange: where
//   against_items, against_found, against_ids, against_id_ends
//                           the items of the other set, as verbs/dedup/against/against.h says
//   known                   KnownHit: documents that may match one of a library, in order
//   known_documents, known_ids, known_text, known_left_out
//                           those of the libraries (state/known_documents.h)
//   candidates              RankPair: pairs that met in the first round, in order
//   matches                 RankMatch: pairs that match, in order
//   clusters                uint64: the first document of its cluster
//   decided                 Decision
//   spans                   CutSpan: what goes of the kept documents, in order
//   emptied                 uint64: kept documents of which nothing is left
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "base/checksum.h"
#include "base/files/temp_space.h"
#include "engines/sketch/loss.h"
#include "engines/sketch/written.h"
#include "refrain/dedup.h"
#include "verbs/dedup/state/facts.h"
#include "verbs/dedup/state/ranks.h"
#include "verbs/run/columns/column.h"
#include "verbs/run/columns/striped_file.h"
#include "verbs/run/columns/template_file.h"
#include "verbs/run/dir.h"

namespace refrain::library {
class Writing;
}

namespace refrain::verbs::dedup {

// The end of the name of a column of what is left.
inline constexpr const char* kLeft = ".left";

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
  sketch::Loss loss = {};  // of the later one, if it goes for the earlier
};

// Whether there are libraries to look into.
bool looks_up(const DedupOptions& options);
// Whether what is kept goes into a library.
bool remembers(const DedupOptions& options);

class NearFinder;
class KnownDocuments;

struct DedupRun {
  // `near_in` may be null; `identity` is all that the answer depends on.
  DedupRun(const DedupOptions& options_in, const Context& context_in, const NearFinder* near_in, std::string identity);

  const DedupOptions& options;
  const Context& context;
  const std::string name;        // of what its answer depends on: 32 hexadecimal digits
  const NearFinder* const near;  // the method (near/finder.h); null where it is off
  const unsigned threads;
  MemoryBudget budget;
  TempSpace temp;
  run::RunDir dir;
  DedupReport report;
  library::Writing* library = nullptr;  // the one that grows, locked as long as the run lives; null: none

  // After the first stage.
  std::uint64_t documents() { return dir.facts().get<ReadFacts>().documents; }
  bool looks_up() const { return dedup::looks_up(options); }
  bool remembers() const { return dedup::remembers(options); }
  bool against() const { return !options.against.empty(); }
  // Documents that hold an item of the other set are removed.
  bool against_removes() const { return against() && options.against_action == AgainstAction::remove; }
  // Of a similar pair: whether the later document may go for the earlier.
  bool covers(const sketch::Loss& loss) const { return sketch::covers(loss, options.max_loss, options.threshold); }
  bool covers(const RankMatch& match) const { return covers(match.loss); }
  // Whether it matters how texts are written.
  bool looks_at_symbols() const { return sketch::looks_at_symbols(options.max_loss, options.windows.tokenizer); }
  Ranks ranks();
  // The texts of all documents, end to end. Thread-safe.
  std::shared_ptr<const run::StripedFile> texts();
  // What is left out where documents are compared; null where nothing is. Thread-safe.
  std::shared_ptr<const run::TemplateFile> templates();
  // The documents of libraries that those of the input may match; null where there are none. Thread-safe.
  std::shared_ptr<const KnownDocuments> known_documents();
  // A column of the near method, made of what is left of the documents.
  std::filesystem::path sketches(const std::string& column);
  // They will not be read again: a file that is open takes its space until it is closed, however it is removed.
  void close_texts();

 private:
  std::mutex mutex_;
  bool has_templates();

  std::shared_ptr<const run::StripedFile> texts_;  // opened once: many threads read
  std::weak_ptr<const run::TemplateFile> templates_;
  std::weak_ptr<const KnownDocuments> known_;
};

}  // namespace refrain::verbs::dedup
