// The reader: every document of the input, in batches, on all cores, in an order that does not depend on them.
//
// There is no reading thread. Each worker in turn takes the next piece of raw input (under the lock of its file),
// decodes and works on it alone, and then hands in what has to be done in input order: a closure that is called when
// all the pieces before it have been. So reading, decompressing, decoding and the caller's work overlap, several
// compressed files are decompressed side by side, and memory is one piece a worker plus the closures that wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/budget.h"
#include "corpus/files/options.h"
#include "corpus/formats/batch.h"
#include "refrain/context.h"
#include "refrain/input.h"

namespace refrain::corpus {

// What remains to be done for a batch: `turn` in input order, with the ordinal of its first record; then `after`, if
// any, while the next batches have their turns. What needs to know its place, and no more, is best done after.
struct InOrder {
  InOrder() = default;
  InOrder(std::nullptr_t) {}  // NOLINT: nothing remains
  template <class Turn>
  InOrder(Turn in_turn) : turn(std::move(in_turn)) {}  // NOLINT: nothing after it
  InOrder(std::function<void(DocId first)> in_turn, std::function<void()> afterwards)
      : turn(std::move(in_turn)), after(std::move(afterwards)) {}

  std::function<void(DocId first)> turn;
  std::function<void()> after;
};

// Called on `worker` (from 0, below the thread count), many at a time. Must not keep views into the batch, unless
// it is `at_once`.
using BatchWork = std::function<InOrder(unsigned worker, Batch& batch)>;

// What the documents are read for.
struct ReadPurpose {
  const char* stage = "read";  // of the progress
  bool raw = false;            // Batch::raw is wanted; see corpus/files/raw.h
  bool keeps_texts = false;    // the closures hold the texts: only few may wait
  std::uint64_t bytes = 0;     // of all files, for the progress; 0: not known yet
  // What the closures hold of each record beside its text, about: with much of it, and short records, pieces are smaller.
  std::uint64_t record_bytes = 0;
  // The work on a document, against reading it: pieces are small, so that there are some for all workers.
  bool takes_long = false;
  bool all_may_be_bad = false;  // no error where there are records and none can be read
};

// Reads all of the input. The turns that `work` returns are called one at a time, in input order, from any worker.
// Memory for pieces is reserved from `budget`. An exception from anywhere ends the reading and is thrown here.
// Throws Error: invalid_argument where extra fields are asked of lines or whole files; not_found for a named input that
// is not there; io where the system fails to read one, unless that is to be passed over; bad_input where a whole input is
// broken (damaged compression), where there were records and none could be read, or, with `strict`, at the first bad
// record.
ReadReport read_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                          const BatchWork& work, const ReadPurpose& purpose = {});

// For another reading of the same input, which must find the same documents: what the first one passed over as unreadable
// is passed over again, and nothing else.
SourceOptions again(SourceOptions options, const ReadReport& first);

}  // namespace refrain::corpus
