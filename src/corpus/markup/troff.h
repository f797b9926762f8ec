// The text of a page in troff, with the macros of man(7), mdoc(7) or ms(7): without its requests, macros and fonts, and
// with its escapes as the characters that they stand for. Headings and paragraphs are told apart by lines; tables (tbl)
// and equations (eqn) stay as they are written.
//
// Macros that the page defines are not run. Of conditions those for a terminal hold, and those nobody can tell. Every
// page has a text, and takes time in proportion to its length.
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

  // The text of a page, which is UTF-8. Valid until the next call. `grow` as in HtmlText::read.
  std::string_view read(std::string_view page, const std::function<void(std::size_t)>& grow);

  // Gives back what a long page took.
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
  std::string shown_;       // of the line that is being read
  std::string definition_;  // what ends the definition that is being passed over; empty outside one
  int passed_blocks_ = 0;   // of a condition that does not hold: those that are open
  bool last_held_ = false;  // of .ie, for its .el
};

}  // namespace refrain::corpus
