// Batches: consecutive records of the input, in the form in which the format parsers produce them and verbs receive
// them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "refrain/text.h"

namespace refrain::corpus {

// The ids of a batch's records, or nothing if the id of each record is its ordinal.
struct BatchIds {
  bool ordinals = true;
  std::string bytes;                // the ids, concatenated
  std::vector<std::uint64_t> ends;  // ends[i] is where the id of record i ends in `bytes`

  std::string_view operator[](std::size_t i) const {
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return std::string_view(bytes).substr(begin, ends[i] - begin);
  }
};

// The type of a requested field. In tables all values are strings.
enum class FieldKind : std::uint8_t { missing, null, string, number, boolean, json };

// The values of InputOptions::extra_fields for each record of a batch.
struct BatchFields {
  std::size_t width = 0;  // the number of requested fields
  const char* bytes = nullptr;
  std::span<const std::uint64_t> ends;  // of the values in `bytes`; `width` per record
  std::span<const FieldKind> kinds;     // `width` per record

  FieldKind kind(std::size_t record, std::size_t field) const { return kinds[record * width + field]; }
  // A string is decoded; numbers and booleans are as written; objects and arrays are raw JSON. Empty for a missing or
  // null value, which only kind() distinguishes from an empty string.
  std::string_view value(std::size_t record, std::size_t field) const {
    const std::size_t i = record * width + field;
    const std::uint64_t begin = i == 0 ? 0 : ends[i - 1];
    return {bytes + begin, ends[i] - begin};
  }
};

struct RawBatch;  // corpus/files/raw.h

// Identifies a batch of the input. Places ascend in input order, and an input that is read again with the same tuning
// is cut into the same batches, so data computed for a batch can be found again while a later pass works on it.
struct BatchPlace {
  std::uint64_t slot = 0;   // a file of records, or a handful of whole files
  std::uint64_t piece = 0;  // number within the slot
  std::uint64_t part = 0;   // number within the piece
  friend auto operator<=>(const BatchPlace&, const BatchPlace&) = default;
};

// Consecutive records of the input. A bad record is included with an empty text and id, so that ordinals stay
// correct. Valid during the call that receives it; `ids` may be moved from.
struct Batch {
  TextBatch texts;
  std::vector<std::uint8_t> bad;  // one per record: 1 if it is bad
  // Records, ascending, whose text says too little to tell them from others: only copies of them can be recognized.
  std::vector<std::uint32_t> vague;
  BatchIds ids;
  BatchFields fields;             // for a bad record all are missing
  std::string_view file;          // the path of the file of records; empty for whole files, whose paths are their ids
  const RawBatch* raw = nullptr;  // the bytes that the records were read from; null unless requested
  bool at_once = false;           // the closure is called while the batch is still valid and may use it without copying
  BatchPlace place;
};

}  // namespace refrain::corpus
