// Writes to standard output and standard error, and finds out what the terminal behind them can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace refrain::cli
