// Writes the remaining parts of a text in the form that its format requires.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/formats/edits.h"
#include "refrain/text.h"

namespace refrain::corpus {

// Its buffers are reused from text to text. Not thread-safe.
class TextRewriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  // The output goes to `sink`, in parts.
  TextRewriter(MemoryBudget& budget, Sink sink);

  // Sets the text and the ranges to remove, and returns how many bytes these are. Throws Error(invalid_argument) if
  // `cuts` do not satisfy the rules of TextCuts. Keeps views of both until the next call.
  std::uint64_t cut(std::string_view text, const TextCuts& cuts);

  // Writes the rest unchanged.
  void write_plain();
  // Writes the rest as a line. `ending`: the bytes of the file after the line, starting with its line break.
  // `begins_file`: nothing precedes the line, not even a byte order mark.
  void write_line(std::string_view ending, bool begins_file);
  // Writes the rest, with each byte that is not valid UTF-8 replaced by U+FFFD.
  void write_utf8();
  // Writes the rest as the content of a JSON string; `raw` is the stored form of the whole text.
  void write_json(std::string_view raw);
  // Writes the rest as a field of a table; `raw` is the stored form of the whole text. `last`: the field is the last
  // of its record; `alone`: it is the only one.
  void write_field(std::string_view raw, bool last, bool alone);

 private:
  void write_checked(bool json);

  // Calls fn(part) for the remaining parts, none of them empty, until a call returns false. Returns whether all
  // returned true.
  template <class Fn>
  bool for_each_part(Fn fn) const;

  Sink sink_;
  std::string_view text_;
  TextCuts cuts_;
  std::string_view first_part_;  // of the rest; empty if nothing remains
  std::string_view last_part_;
  Array<char> joined_;
};

}  // namespace refrain::corpus
