// What is left of one text, written as its format writes texts.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"
#include "refrain/text.h"

namespace refrain {

// Its buffers are reused from text to text. Not thread-safe.
class TextRewriter {
 public:
  using Sink = std::function<void(std::string_view)>;

  // All that is written goes to `sink`, in parts.
  TextRewriter(MemoryBudget& budget, Sink sink);

  // Takes what is to be left out of `text`: ascending, disjoint and inside it, or else Error(invalid_argument). Returns
  // how many bytes that is. Views of `text` are kept until the next call.
  std::uint64_t cut(std::string_view text, std::span<const ByteRange> cuts);

  // What is left, as it stands.
  void write_plain();
  // As a line. `ending`: what follows the line in the file, from its line break on. `begins_file`: nothing stands before
  // it, not even a byte order mark.
  void write_line(std::string_view ending, bool begins_file);
  // As the content of a JSON string, `raw` being that of the whole text.
  void write_json(std::string_view raw);
  // As a field of a table, `raw` being that of the whole text. `last` and `alone`: of its record.
  void write_field(std::string_view raw, bool last, bool alone);

 private:
  void write_escaped();

  Sink sink_;
  std::string_view text_;
  std::vector<ByteRange> kept_;  // not empty ones only
  Array<char> joined_;
};

}  // namespace refrain
