// Documents of libraries that documents of the run may match, as the stage `known` found them.
//
// They are numbered behind the documents of the input: in a run over n documents the match n + k is known document k.
// The lesser number ranks better. In `work`:
//   known_documents   KnownRow, in order
//   known_ids         their ids, end to end
//   known_text        their texts, in any order
//   known_left_out    uint64: of each number, from 1, the count of its windows, and those
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "base/files/random_file.h"
#include "refrain/text.h"
#include "text/left_out.h"
#include "verbs/dedup/state/run.h"
#include "verbs/known/judgement.h"
#include "verbs/run/columns/column.h"

namespace refrain::verbs::dedup {

struct KnownRow {
  std::uint32_t library = 0;   // its number: those of `known` in order, then `library`
  std::uint32_t left_out = 0;  // the number, from 1, of what is left out of it; 0: nothing
  ByteRange id = {};           // in known_ids
  ByteRange text = {};         // in known_text
  Digest digest = {};          // of its text
  std::uint64_t there = 0;     // 0: its text is gone, or has changed
};

// A document of the input that a known one matches, or may match.
struct KnownHit : known::Verdict {
  DocId document = 0;
  DocId match = 0;  // behind the documents of the input
};

// Thread-safe.
class KnownDocuments {
 public:
  // `first` is the number of documents of the input. Reads what is left out of them.
  KnownDocuments(const run::RunDir& dir, std::uint64_t first, MemoryBudget& budget);

  bool holds(DocId document) const { return document >= first_; }
  KnownRow row(DocId document) const;
  std::string id(DocId document) const;
  std::uint64_t text_bytes(DocId document) const;
  // The first of it, at most `most` bytes. Empty where it is gone.
  std::string text(DocId document, std::uint64_t most = ~std::uint64_t{0}) const;
  // Null: nothing.
  const text::LeftOut* left_out(DocId document) const;

 private:
  const std::uint64_t first_;
  const RandomFile rows_;
  const RandomFile ids_;
  const RandomFile texts_;
  Reservation reservation_;
  std::vector<text::LeftOut> left_out_;
};

// Documents that a known one matches, or may match, one after the other.
class KnownReader {
 public:
  // Without libraries there are none.
  explicit KnownReader(DedupRun& run);
  // Null where there is none. Ask in ascending order.
  const KnownHit* find(DocId document);

 private:
  std::unique_ptr<run::ColumnReader<KnownHit>> reader_;
  KnownHit hit_;
  bool there_ = false;
};

}  // namespace refrain::verbs::dedup
