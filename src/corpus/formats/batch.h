// Batches: consecutive records of the input, as the formats make them and everybody else gets them.
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

struct RawBatch;  // corpus/files/raw.h

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

}  // namespace refrain::corpus
