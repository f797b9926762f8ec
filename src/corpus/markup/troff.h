// Manual pages and other pages in troff: their escapes, their macros, and their text.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/budget.h"

namespace refrain::corpus {

// The characters that troff knows by name (groff_char(7)).

// The UTF-8 of "em", "bu", "'e", "u2014", "u0065_0301" or "char65"; empty if the name is unknown.
std::string glyph(std::string_view name);

// The escapes of troff: sequences that begin with a backslash.
//
// The escapes of one page. It keeps a limited number of short strings (.ds) and ignores others. Not thread-safe.
class TroffEscapes {
 public:
  // Appends the text that `raw`, a line or an argument, shows. False if the next line continues it, because it ends
  // in \c or a backslash. All strings together add little more than the size of the page, so that a short page cannot
  // become a long text.
  bool decode(std::string_view raw, std::string& out);

  // Whether text of this size, which the page only refers to, may be added. If so, it is counted like a string.
  bool may_add(std::size_t bytes);

  // Defines a string of the page: \*(name.
  void define(std::string_view name, std::string_view value);

  // Begins another page, of the given size.
  void begin(std::size_t page_bytes);

 private:
  void put_string(std::string_view name, std::string& out);

  std::map<std::string, std::string, std::less<>> strings_;
  std::size_t left_ = 0;  // how many bytes strings may still add
};

// The line without a comment at its end.
std::string_view without_comment(std::string_view line);

// The number of blocks that begin (\{) in a line, minus those that end (\}).
int blocks_begun(std::string_view line);

// The macros of man(7), mdoc(7) and ms(7), by the role of their arguments in the text.

// How the arguments of a macro become text.
enum class MacroText {
  words,      // text, separated by spaces
  joined,     // text, concatenated
  tag,        // the first is text, on a line of its own
  heading,    // text, on a line of its own after a blank line
  paragraph,  // not text; the macro makes a blank line
  line,       // not text; the macro ends a line
  nothing,    // not text
  inlined,    // of mdoc: text that may contain other macros
  item,       // the same, on a line of its own
  titled,     // the same, after a blank line
};

struct TroffMacro {
  std::string_view name;
  MacroText kind = MacroText::words;
  // For mdoc macros, the text before and after the rest of the line. For a flag (Fl), `open` goes before every
  // argument.
  std::string_view open = {};
  std::string_view close = {};
};

// An unknown name without capital letters is taken for a request of troff, which has no text; any other for a macro.
TroffMacro find_macro(std::string_view name);

// Splits the text after the name of a macro at spaces outside of quotes.
std::vector<std::string> troff_arguments(std::string_view text);

// The text of a line of mdoc, whose macros may occur in each other's arguments. Not thread-safe.
class MdocLine {
 public:
  explicit MdocLine(TroffEscapes& escapes) : escapes_(escapes) {}

  std::string read(const TroffMacro& macro, const std::vector<std::string>& arguments);
  // Forgets the name of the page.
  void begin() { page_name_.clear(); }

 private:
  std::size_t call(const TroffMacro& macro, const std::vector<std::string>& arguments, std::size_t next);
  void put(std::string_view text);

  TroffEscapes& escapes_;
  std::string page_name_;
  std::string text_;
  std::string closings_;
  std::string_view prefix_;
  bool no_space_ = false;
};

// Extracts the text of a page in troff, with the macros of man(7), mdoc(7) or ms(7): requests, macros and fonts are
// removed, and escapes are replaced by the characters that they represent. Lines separate headings and paragraphs;
// tables (tbl) and equations (eqn) stay as they are written.
//
// Macros that the page defines are not executed. Conditions for a terminal, and those that cannot be evaluated, are
// assumed to hold. Any page can be read, in time proportional to its length.
//
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
