// Standard output, standard error, and what the terminal behind one of them can show.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace refrain::cli {

// What may be used to make text plain to a reader.
struct Look {
  bool terminal = false;  // a person is watching, and lines can be redrawn
  bool colour = false;
  bool utf8 = false;
};

// For a file descriptor. NO_COLOR and TERM=dumb are respected; the locale is read from LC_ALL, LC_CTYPE or LANG.
Look look_of(int descriptor);

// The columns of the terminal behind `descriptor`; 80 where it does not say.
std::size_t terminal_columns(int descriptor);

// Writes to standard output, through a buffer where `buffered`: without, a reader that waits for a row gets it at once.
// Throws Error(io), or Error(over_budget) for a full disk. Nothing is promised before flush() has returned.
class StandardOutput {
 public:
  explicit StandardOutput(bool buffered = true) : buffered_(buffered) {}
  StandardOutput(const StandardOutput&) = delete;
  StandardOutput& operator=(const StandardOutput&) = delete;

  void write(std::string_view bytes);
  // Whole rows of somebody's data. To a terminal, what could command it is spelled out (see printable()); to a file or a
  // program they go as they are.
  void write_rows(std::string_view rows);
  void flush();

 private:
  std::string buffer_;
  bool buffered_;
};

// Writes to standard error at once. What cannot be written is lost, there being no one left to tell.
void write_error(std::string_view text);

}  // namespace refrain::cli
