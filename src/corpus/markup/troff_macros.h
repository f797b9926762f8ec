// The macros of man(7), mdoc(7) and ms(7), by what becomes of their arguments.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/markup/troff_escapes.h"

namespace refrain::corpus {

// What the arguments of a macro are.
enum class MacroText {
  words,      // text, with a space between
  joined,     // text, end to end
  tag,        // the first is text, in a line of its own
  heading,    // a line of its own, behind a blank one
  paragraph,  // no text; a blank line
  line,       // no text; a line ends
  nothing,    // no text
  inlined,    // of mdoc: text, in which other macros may stand
  item,       // the same, in a line of its own
  titled,     // the same, behind a blank line
};

struct TroffMacro {
  std::string_view name;
  MacroText kind = MacroText::words;
  // Of mdoc: what stands around the rest of the line; `open` of a flag before every argument.
  std::string_view open = {};
  std::string_view close = {};
};

// What is not known and looks like a request of troff itself has no text; what looks like a macro has words.
TroffMacro find_macro(std::string_view name);

// Splits what follows the name of a macro at its spaces; quotes hold an argument together.
std::vector<std::string> troff_arguments(std::string_view text);

// The text of a line of mdoc, whose macros may stand in each other's arguments. Not thread-safe.
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
  bool glued_ = false;
};

}  // namespace refrain::corpus
