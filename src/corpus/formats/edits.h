// What is changed where the input is written again: parts of texts left out, records dropped, fields added.
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

// What to leave out of a text: `ranges`, less `offset`, ascending, disjoint and inside it; or, with `drop`, the whole
// record. Valid until the next question.
struct TextCuts {
  std::span<const ByteRange> ranges;
  std::uint64_t offset = 0;
  bool drop = false;
};

// A text, and what digest() makes of it, which many threads have found out before its turn.
struct DigestedText : std::string_view {
  Digest digest;
};

// Asks what to leave out of `text`. Called in input order, one at a time, from any thread, for every record that is not
// bad.
using CutDocument = std::function<TextCuts(DocId document, const DigestedText& text)>;

// A value to add to a record: null, a truth, a number or a text. In a table null is empty.
using AddedValue = std::variant<std::monostate, bool, std::int64_t, double, std::string_view>;

// What the values of a name are, null aside, for a format whose columns have types. An integer may stand for a number.
enum class AddedType : std::uint8_t { text, boolean, integer, real };

// Fields to add to every record that is kept and not bad: in jsonl before its last brace, in csv and tsv as columns at
// the end, where a row that is too short for them is filled up; in parquet as columns at the end, which are null for a
// bad record.
struct Annotations {
  std::vector<std::string> names;
  // Sets the values of one record, one a name, which are null before. Called right after the CutDocument of the record.
  // Texts are valid until the next call.
  std::function<void(DocId document, std::span<AddedValue> values)> values;
  std::vector<AddedType> types = {};  // one a name; empty: all are texts
};

}  // namespace refrain::corpus
