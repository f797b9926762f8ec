// Extracts the text of a page in troff, with the macros of man(7), mdoc(7) or ms(7): requests, macros and fonts are
// removed, and escapes are replaced by the characters that they represent. Lines separate headings and paragraphs;
// tables (tbl) and equations (eqn) stay as they are written.
//
// Macros that the page defines are not executed. Conditions for a terminal, and those that cannot be evaluated, are
// assumed to hold. Any page can be read, in time proportional to its length.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/budget.h"
#include "corpus/markup/troff_escapes.h"
#include "corpus/markup/troff_macros.h"

namespace refrain::corpus {

// Its memory is reused from page to page. Not thread-safe.
class TroffText {
 public:
  explicit TroffText(MemoryBudget& budget) : mdoc_(escapes_), text_(budget, "the text of a long manual page") {}

  // The text of a page, which must be UTF-8. Valid until the next call. `grow` as in HtmlText::read.
  std::string_view read(std::string_view page, const std::function<void(std::size_t)>& grow);

  // Releases the memory of a long page.
  void shrink() { text_.resize(0); }

 private:
  using Grow = std::function<void(std::size_t)>;

  void read_line(std::string_view line, const Grow& grow);
  bool request(std::string_view& line, const Grow& grow);
  bool condition(std::string_view name, std::string_view& rest);
  void macro(std::string_view name, std::string_view rest, const Grow& grow);
  void put_line(std::string_view text, bool ended, const Grow& grow);
  void end_line();
  void end_paragraph();

  TroffEscapes escapes_;
  MdocLine mdoc_;
  Array<char> text_;
  std::string shown_;                 // text of the current line
  std::string definition_;            // ends the definition that is being skipped; empty outside one
  int skipped_blocks_ = 0;            // open blocks of a condition that does not hold
  bool last_condition_held_ = false;  // whether the last .ie held, for its .el
};

}  // namespace refrain::corpus
