// The reader: every document of the input, in batches, on all cores, in an order that does not depend on them.
//
// There is no reading thread. Each worker in turn takes the next piece of raw input (under the lock of its file),
// decodes and works on it alone, and then hands in what has to be done in input order: a closure that is called when
// all the pieces before it have been. So reading, decompressing, decoding and the caller's work overlap, several
// compressed files are decompressed side by side, and memory is one piece a worker plus the closures that wait.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "refrain/context.h"
#include "refrain/input.h"
#include "refrain/text.h"

namespace refrain {

// The ids of a batch's records, or nothing where an id is just the record's ordinal.
struct BatchIds {
  bool ordinals = true;
  std::string bytes;                // the ids, end to end
  std::vector<std::uint64_t> ends;  // ends[i] is where the id of record i ends in `bytes`

  std::string_view operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(bytes).substr(begin, ends[i] - begin);
  }
};

// How a field that was asked for is written. Tables know only strings.
enum class FieldKind : std::uint8_t { missing, null, string, number, boolean, json };

// The values of InputOptions::extra_fields, of each record of a batch.
struct BatchFields {
  std::size_t width = 0;  // how many fields were asked for
  const char* bytes = nullptr;
  std::span<const std::uint64_t> ends;  // of the values in `bytes`; `width` a record
  std::span<const FieldKind> kinds;     // likewise

  FieldKind kind(std::size_t record, std::size_t field) const { return kinds[record * width + field]; }
  // Of a string what it says; numbers and booleans as they are written; objects and arrays as raw JSON. Empty for what
  // is missing or null, which only kind() tells from an empty string.
  std::string_view value(std::size_t record, std::size_t field) const {
    const std::size_t i = record * width + field;
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return {bytes + begin, ends[i] - begin};
  }
};

struct RawBatch;  // corpus/raw.h

// Which batch of the input it is. Batches in input order have rising places, and an input that is read again with the
// same tuning is cut into the same batches: so what was learnt of a batch can be found again while it is worked on.
struct BatchPlace {
  std::uint64_t slot = 0;   // a file of records, or a handful of whole files
  std::uint64_t piece = 0;  // of the slot
  std::uint64_t part = 0;   // of the piece
  friend auto operator<=>(const BatchPlace&, const BatchPlace&) = default;
};

// Consecutive records of the input. A bad record has its place here (an empty text and id), so that ordinals are right.
// Valid during the call that it is given to; `ids` may be moved out of.
struct Batch {
  TextBatch texts;
  std::vector<std::uint8_t> bad;  // one a record: 1 where it could not be used
  BatchIds ids;
  BatchFields fields;             // of a bad record all are missing
  std::string_view file;          // the path of the file of records; empty for whole files, whose paths are their ids
  const RawBatch* raw = nullptr;  // the bytes that they were read from, where somebody asked for them
  bool at_once = false;  // the closure is called before the batch goes, and may look at it: nothing need be copied
  BatchPlace place;
};

// What remains to be done for a batch in input order; `first` is the ordinal of its first record.
using InOrder = std::function<void(DocId first)>;

// Called on `worker` (from 0, below the thread count), many at a time. Must not keep views into the batch, unless
// it is `at_once`.
using BatchWork = std::function<InOrder(unsigned worker, Batch& batch)>;

// What the documents are read for.
struct ReadPurpose {
  const char* stage = "read";  // of the progress
  bool raw = false;            // Batch::raw is wanted; see corpus/raw.h
  bool keeps_texts = false;    // the closures hold the texts: only few may wait
  std::uint64_t bytes = 0;     // of all files, for the progress; 0: not known yet
  // What the closures hold of each record beside its text, about: with much of it, and short records, pieces are smaller.
  std::uint64_t record_bytes = 0;
  bool all_may_be_bad = false;  // no error where there are records and none can be read
};

// Reads all of the input. The closures that `work` returns are called one at a time, in input order, from any worker.
// Memory for pieces is reserved from `budget`. An exception from anywhere ends the reading and is thrown here.
// Throws Error: invalid_argument where extra fields are asked of lines or whole files; not_found for a named input that
// is not there; io where the system fails to read one, unless that is to be passed over; bad_input where a whole input is
// broken (damaged compression), where there were records and none could be read, or, with `strict`, at the first bad
// record.
ReadReport read_documents(const InputOptions& options, const Context& context, MemoryBudget& budget,
                          const BatchWork& work, const ReadPurpose& purpose = {});

// For another reading of the same input, which must find the same documents: what the first one passed over as unreadable
// is passed over again, and nothing else.
InputOptions again(InputOptions options, const ReadReport& first);

}  // namespace refrain
