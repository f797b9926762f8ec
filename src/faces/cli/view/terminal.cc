#include "faces/cli/view/terminal.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "faces/cli/view/text.h"
#include "refrain/error.h"

namespace refrain::cli {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

std::string_view environment(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value == nullptr ? std::string_view() : std::string_view(value);
}

bool locale_is_utf8() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string_view value = environment(name);
    if (value.empty()) continue;
    std::string letters;
    for (const char c : value) {
      if (c != '-') letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return letters.find("utf8") != std::string::npos;
  }
  return false;
}

// Writes all of `bytes`, despite signals and full non-blocking pipes. Returns 0, or the errno of the failure.
int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd waiting{.fd = descriptor, .events = POLLOUT, .revents = 0};
      ::poll(&waiting, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

Look look_of(int descriptor) {
  Look look;
  look.terminal = ::isatty(descriptor) == 1 && environment("TERM") != "dumb";
  look.colour = look.terminal && environment("NO_COLOR").empty();
  look.utf8 = locale_is_utf8();
  return look;
}

std::size_t terminal_columns(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void StandardOutput::write(std::string_view bytes) {
  buffer_ += bytes;
  if (!buffered_ || buffer_.size() >= kBufferBytes) flush();
}

void StandardOutput::write_rows(std::string_view rows) {
  if (::isatty(STDOUT_FILENO) == 1)
    write(printable(rows, true));
  else
    write(rows);
}

void StandardOutput::flush() {
  const int error = write_all(STDOUT_FILENO, buffer_);
  buffer_.clear();
  if (error == 0) return;
  const bool full = error == ENOSPC || error == EDQUOT;
  throw Error(full ? Errc::over_budget : Errc::io,
              fmt::format("standard output: cannot write: {}", std::strerror(error)));  // NOLINT(concurrency-mt-unsafe)
}

void write_error(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

}  // namespace refrain::cli
