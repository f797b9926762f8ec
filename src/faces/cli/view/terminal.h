// Writes to standard output and standard error, and finds out what the terminal behind them can show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "refrain/text.h"

namespace refrain::cli {

// How output may be styled.
struct Look {
  bool terminal = false;  // lines can be redrawn, because a person is watching
  bool colour = false;
  bool utf8 = false;
};

// Returns the look for a file descriptor. Respects NO_COLOR and TERM=dumb. Takes the locale from LC_ALL, LC_CTYPE or
// LANG.
Look look_of(int descriptor);

// Returns the columns of the terminal behind `descriptor`, or 80 if they are not known.
std::size_t terminal_columns(int descriptor);

// Writes to standard output. If it is not buffered, a reader that waits for a row gets it at once. The functions throw
// Error(io), or Error(over_budget) if the disk is full. Buffered data is written for certain only once flush() has
// returned; the destructor does not write it.
class StandardOutput {
 public:
  explicit StandardOutput(bool buffered = true) : buffered_(buffered) {}
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  void write(std::string_view bytes);
  // Writes whole rows of data. On a terminal, characters that could control it are escaped (see printable()). To a
  // file or a program, the rows are written unchanged.
  void write_rows(std::string_view rows);
  void flush();

 private:
  std::string buffer_;
  bool buffered_;
};

// Writes to standard error at once. Failures are ignored, since they could not be reported.
void write_error(std::string_view text);

// Makes untrusted text safe to print on a terminal: nothing in it can move the cursor or hide other text.

// Returns `text` with control characters (including those beyond ASCII, and marks that change the direction of
// writing) escaped as \x1b or \u202e, and bytes that are not UTF-8 as \xNN. With `multiline`, newlines and tabs are
// kept; otherwise they become \n and \t.
std::string printable(std::string_view text, bool multiline);

// Only the two ends of a stretch of more than kLongStretch bytes are shown, with kShownEnd bytes each.
inline constexpr std::size_t kLongStretch = 400;
inline constexpr std::size_t kShownEnd = 160;

// Like printable(), but replaces the middle of a long stretch by "[… 1,234 bytes …]". Characters are not split.
std::string elided(std::string_view text, const Look& look);

// Returns `text` with the ranges in `shared` (sorted, disjoint) marked: bold and underlined if there is color,
// otherwise by [[ and ]]. Parts of them that are in `moved` (sorted, disjoint) are bold and yellow, or in {{ and }}.
// Every stretch, shared or not, is shortened by elided(). Ends with a newline.
std::string marked(std::string_view text, std::span<const ByteRange> shared, const Look& look,
                   std::span<const ByteRange> moved = {});

// Only the two ends of a text of more than kLongText bytes are shown, with kShownTextEnd bytes each.
inline constexpr std::size_t kLongText = 2000;
inline constexpr std::size_t kShownTextEnd = 800;

// Like marked(), but leaves out the middle of a long text, whether it is marked or not.
std::string marked_ends(std::string_view text, std::span<const ByteRange> shared, const Look& look,
                        std::span<const ByteRange> moved = {});

// The man page on a terminal: formatted and a screen at a time, as `man` shows a page.
//
// Formats `page`, which is roff, with the system's formatter, and shows it in the user's pager. Returns false, with
// nothing shown, if the system has no formatter.
bool show_page(const std::string& page);

}  // namespace refrain::cli
