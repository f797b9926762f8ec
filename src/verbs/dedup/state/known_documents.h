// Documents of libraries that documents of the run may match, as found by the stage `known`.
//
// They are numbered after the documents of the input: in a run over n documents, the match n + k is known document
// k. The lesser number ranks better. The files in `work`:
//   known_documents   KnownRow, in order
//   known_ids         their ids, end to end
//   known_text        their texts, in any order
//   known_left_out    uint64: for each number, from 1, the count of its windows, then the windows
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/files/file.h"
#include "refrain/text.h"
#include "text/windows.h"
#include "verbs/dedup/state/outcome.h"
#include "verbs/known/judgement.h"

namespace refrain::verbs::dedup {

struct KnownRow {
  std::uint32_t library = 0;   // index of its library: those of `known` in order, then `library`
  std::uint32_t left_out = 0;  // number, from 1, of the windows left out of it; 0: none
  ByteRange id = {};           // in known_ids
  ByteRange text = {};         // in known_text
  Digest digest = {};          // of its text
  std::uint64_t there = 0;     // 0: its text is gone or has changed
};

// Says that a known document matches, or may match, a document of the input.
struct KnownHit : known::Verdict {
  DocId document = 0;
  DocId match = 0;  // numbered after the documents of the input
};

// Thread-safe.
class KnownDocuments {
 public:
  // `first` is the number of documents of the input. The constructor reads the windows that are left out into
  // memory.
  KnownDocuments(const run::RunDir& dir, std::uint64_t first, MemoryBudget& budget);

  bool holds(DocId document) const { return document >= first_; }
  KnownRow row(DocId document) const;
  std::string id(DocId document) const;
  std::uint64_t text_bytes(DocId document) const;
  // The beginning of the text, at most `most` bytes. Empty if the text is gone.
  std::string text(DocId document, std::uint64_t most = ~std::uint64_t{0}) const;
  // Null if nothing is left out.
  const text::LeftOut* left_out(DocId document) const;

 private:
  const std::uint64_t first_;
  const RandomFile rows_;
  const RandomFile ids_;
  const RandomFile texts_;
  Reservation reservation_;
  std::vector<text::LeftOut> left_out_;
};

// Reads the documents that a known one matches or may match, one after the other. Without libraries there are none.
struct KnownReader : HitReader<KnownHit> {
  explicit KnownReader(DedupRun& run) : HitReader(run, run.looks_up(), "known") {}
};

}  // namespace refrain::verbs::dedup
