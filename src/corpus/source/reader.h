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
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/files/temp.h"
#include "corpus/files/options.h"
#include "corpus/formats/batch.h"
#include "refrain/context.h"
#include "refrain/documents.h"
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

// How finely the reader cuts its input. Callers of read_documents do not see this: the values follow from the memory
// budget and the number of threads, and affect the speed, never the result. Tests set them to force unusual pieces.
//
// A value of 0 is replaced by one chosen from the budget.
struct ReaderTuning {
  std::size_t piece_bytes = 0;  // raw bytes that a worker takes at a time
  std::size_t share_bytes = 0;  // a piece may grow to this for a long record; beyond it only for one worker at a time
  std::size_t max_waiting = 0;  // pieces that may be done and wait for an earlier one
  std::uint64_t max_waiting_bytes = 0;  // and what they may hold
};

ReaderTuning complete(ReaderTuning tuning, unsigned threads, const MemoryBudget& budget,
                      const ReadPurpose& purpose = {});

// The same as read_documents of reader.h.
ReadReport read_documents(const SourceOptions& options, const Context& context, MemoryBudget& budget,
                          const BatchWork& work, const ReaderTuning& tuning, const ReadPurpose& purpose = {});

// Reading from a stream works as reading from files does: in batches, on all cores, in stream order.
//
// The caller's columns are cut into pieces by bytes, so that one column of a gigabyte and a thousand small ones are
// equally parallel. Texts are not copied, unless bad records have to be removed from them.

// The options of a verb over `documents`, which must outlive the result. Throws Error(invalid_argument) if paths are
// named as well, or if an output is named, because none is written.
InputOptions over_stream(const InputOptions& options, DocumentStream& documents, const std::filesystem::path& output);

// Like read_documents of reader.h, for options.documents. `tuning` must be complete. Rewinds the stream first if
// possible.
ReadReport read_stream(const InputOptions& options, const Context& context, MemoryBudget& budget, const BatchWork& work,
                       const ReaderTuning& tuning, const ReadPurpose& purpose);

// A rewindable copy, in temporary files, of a stream that cannot be rewound. Keeps a reference to `temp`.
std::shared_ptr<DocumentStream> spooled(DocumentStream& stream, const Context& context, TempSpace& temp);

}  // namespace refrain::corpus
