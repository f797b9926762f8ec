// What is left of one text, written as its format writes texts.
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

  // All that is written goes to `sink`, in parts.
  TextRewriter(MemoryBudget& budget, Sink sink);

  // Takes what is to be left out of `text`; Error(invalid_argument) where that is not as TextCuts should be. Returns
  // how many bytes that is. Views of both are kept until the next call.
  std::uint64_t cut(std::string_view text, const TextCuts& cuts);

  // What is left, as it stands.
  void write_plain();
  // As a line. `ending`: what follows the line in the file, from its line break on. `begins_file`: nothing stands
  // before it, not even a byte order mark.
  void write_line(std::string_view ending, bool begins_file);
  // As it stands, but what is no UTF-8 becomes U+FFFD, one a byte.
  void write_utf8();
  // As the content of a JSON string, `raw` being that of the whole text.
  void write_json(std::string_view raw);
  // As a field of a table, `raw` being that of the whole text. `last` and `alone`: of its record.
  void write_field(std::string_view raw, bool last, bool alone);

 private:
  void write_checked(bool json);

  // Calls fn(part) for what is left, part after part, none of them empty, until one is answered by false. Returns
  // whether none was.
  template <class Fn>
  bool for_each_part(Fn fn) const;

  Sink sink_;
  std::string_view text_;
  TextCuts cuts_;
  std::string_view first_part_;  // of what is left; empty where that is nothing
  std::string_view last_part_;
  Array<char> joined_;
};

}  // namespace refrain::corpus
