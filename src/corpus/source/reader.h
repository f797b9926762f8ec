// The reader: delivers every document of the input, in batches, on all cores, in an order that does not depend on
// threads.
//
// There is no reading thread. Each worker takes the next piece of raw input (under the lock of its file), decodes it,
// works on it, and then hands in a closure with the work that must be done in input order. The closure is called
// after those of all earlier pieces. So reading, decompressing, decoding and the caller's work overlap, several
// compressed files are decompressed in parallel, and the memory is one piece per worker plus the closures that wait.
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

// The remaining work for a batch: `turn` is called in input order with the ordinal of its first record, and then
// `after`, if set, while the next batches have their turns. Work that only needs a result of the turn is best done in
// `after`.
struct InOrder {
  InOrder() = default;
  InOrder(std::nullptr_t) {}  // NOLINT: nothing remains
  template <class PieceId>
  InOrder(PieceId in_turn) : turn(std::move(in_turn)) {}  // NOLINT: nothing after it
  InOrder(std::function<void(DocId first)> in_turn, std::function<void()> afterwards)
      : turn(std::move(in_turn)), after(std::move(afterwards)) {}

  std::function<void(DocId first)> turn;
  std::function<void()> after;
};

// Called by `worker` (from 0, below the thread count), several at a time. The closure must not keep views into the
// batch unless the batch is `at_once`.
using BatchWork = std::function<InOrder(unsigned worker, Batch& batch)>;

// The purpose of a reading, which affects its speed, memory and error behavior.
struct ReadPurpose {
  const char* stage = "read";  // name of the stage in progress reports
  bool raw = false;            // Batch::raw is required; see corpus/files/raw.h
  bool keeps_texts = false;    // the closures hold the texts, so only few may wait
  std::uint64_t bytes = 0;     // of all files, for the progress; 0: not known yet
  // The approximate memory per record that closures hold besides its text. If it is large, pieces are smaller,
  // because records may be short.
  std::uint64_t record_bytes = 0;
  // Working on a document takes much longer than reading it. Pieces are small, so that all workers get some.
  bool takes_long = false;
  bool all_may_be_bad = false;  // no error if there are records and none can be read
  // Called for every file that is not read, in no particular order, one at a time.
  std::function<void(const SkippedFile&)> skipped = {};
};

// Reads all of the input. The turns that `work` returns are called one at a time, in input order, on any worker.
// Memory for pieces is reserved from `budget`. The first exception ends the reading and is thrown here.
//
// Throws Error: invalid_argument if extra fields are requested of lines or whole files; not_found if a named input
// does not exist; io if the system fails to read an input, unless such inputs are skipped; bad_input if a whole input
// is damaged (for example its compression), if there were records and none could be read, or, with `strict`, at the
// first bad record.
ReadReport read_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                          const BatchWork& work, const ReadPurpose& purpose = {});

// Options for another reading of the same input, which must find the same documents: it skips exactly the files that
// the first reading skipped as unreadable. Skipped files are not listed again.
SourceOptions reread_options(SourceOptions options, const ReadReport& first);

}  // namespace refrain::corpus
