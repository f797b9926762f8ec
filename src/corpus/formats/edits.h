// The changes to make when the input is written again: parts of texts removed, records dropped, fields added.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "refrain/digest.h"
#include "refrain/text.h"

namespace refrain::corpus {

// The parts of a text to remove: `ranges`, after subtracting `offset` from them, ascending, disjoint and inside the
// text; or, with `drop`, the whole record. Valid until the next call of CutDocument.
struct TextCuts {
  std::span<const ByteRange> ranges;
  std::uint64_t offset = 0;
  bool drop = false;
};

// A text and its digest(), which worker threads compute in parallel before the text's turn.
struct DigestedText : std::string_view {
  Digest digest;
};

// Returns what to remove from `text`. Called in input order, one call at a time, from any thread, for every record
// that is not bad.
using CutDocument = std::function<TextCuts(DocId document, const DigestedText& text)>;

// A value to add to a record: null, a boolean, a number or a string. In a table null is an empty field.
using AddedValue = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

// The type of a name's values other than null, for a format whose columns have types. `real` values may be integers.
enum class AddedType : std::uint8_t { text, boolean, integer, real };

// Fields to add to every record that is kept and not bad. In jsonl they go before the last brace. In csv and tsv they
// are columns at the end, and rows that are too short are padded. In parquet they are columns at the end, null for a
// bad record.
struct Annotations {
  std::vector<std::string> names;
  // Sets the values of one record, one per name; they are initially null. Called right after the CutDocument of the
  // record. Strings must stay valid until the next call.
  std::function<void(DocId document, std::span<AddedValue> values)> values;
  std::vector<AddedType> types = {};  // one per name; empty: all are `text`
};

}  // namespace refrain::corpus
