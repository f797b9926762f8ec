// The macros of man(7), mdoc(7) and ms(7), by the role of their arguments in the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/markup/troff_escapes.h"

namespace refrain::corpus {

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

}  // namespace refrain::corpus
