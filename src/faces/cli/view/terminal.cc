#include "faces/cli/view/terminal.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "faces/cli/table/numbers.h"
#include "refrain/error.h"
#include "refrain/utf8.h"

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

namespace {

// Returns the placeholder for bytes that are not shown.
std::string left_out(std::size_t bytes, const Look& look) {
  const std::string_view dots = look.utf8 ? "…" : "...";
  return fmt::format("[{} {} {}]", dots, count_of(bytes, "byte"), dots);
}

struct Marked {
  ByteRange bytes;
  bool moved = false;
};

bool is_white(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Cuts the shared ranges where moved ranges begin and end. White space between the two kinds belongs to neither.
std::vector<Marked> cut_at_moved(std::string_view text, std::span<const ByteRange> shared,
                                 std::span<const ByteRange> moved) {
  std::vector<Marked> out;
  auto next = moved.begin();
  for (const ByteRange& range : shared) {
    std::uint64_t at = range.begin;
    for (; next != moved.end() && next->end <= std::min<std::uint64_t>(range.end, text.size()); ++next) {
      std::uint64_t end = std::max(at, next->begin);
      while (at < end && is_white(text[end - 1])) --end;
      if (at < end) out.push_back({{at, end}, false});
      out.push_back({*next, true});
      for (at = next->end; at < range.end && at < text.size() && is_white(text[at]);) ++at;
    }
    if (at < range.end) out.push_back({{at, range.end}, false});
  }
  return out;
}

// Returns `text` with marks. It begins at offset `start` of the text that the ranges refer to.
std::string marks(std::string_view text, std::size_t start, std::span<const Marked> shared, const Look& look) {
  const auto inside = [&](std::uint64_t place) { return place < start ? 0 : place - start; };
  std::string out;
  std::size_t at = 0;
  for (const Marked& range : shared) {
    const std::size_t begin = std::clamp<std::size_t>(inside(range.bytes.begin), at, text.size());
    const std::size_t end = std::clamp<std::size_t>(inside(range.bytes.end), begin, text.size());
    if (begin == end) continue;
    out += elided(text.substr(at, begin - at), look);
    out += look.colour ? (range.moved ? "\x1b[1;33m" : "\x1b[1;4m") : (range.moved ? "{{" : "[[");
    out += elided(text.substr(begin, end - begin), look);
    out += look.colour ? "\x1b[0m" : (range.moved ? "}}" : "]]");
    at = end;
  }
  out += elided(text.substr(at), look);
  return out;
}

std::string with_newline(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

}  // namespace

std::string printable(std::string_view text, bool multiline) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint character = decode_utf8(text, 0);
    const auto code = static_cast<unsigned>(character.value);
    if (!character.valid()) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (code == '\n') {
      out += multiline ? "\n" : "\\n";
    } else if (code == '\t') {
      out += multiline ? "\t" : "\\t";
    } else if (code == '\r') {
      out += "\\r";
    } else if (is_unseen(code)) {
      out += fmt::format(fmt::runtime(code < 0x80 ? "\\x{:02x}" : "\\u{:04x}"), code);
    } else {
      out += text.substr(0, character.size);
    }
    text.remove_prefix(character.size);
  }
  return out;
}

std::string elided(std::string_view text, const Look& look) {
  if (text.size() <= kLongStretch) return printable(text, true);
  const std::size_t head = boundary_before(text, kShownEnd);
  const std::size_t tail = boundary_after(text, text.size() - kShownEnd);
  return printable(text.substr(0, head), true) + left_out(tail - head, look) + printable(text.substr(tail), true);
}

std::string marked(std::string_view text, std::span<const ByteRange> shared, const Look& look,
                   std::span<const ByteRange> moved) {
  return with_newline(marks(text, 0, cut_at_moved(text, shared, moved), look));
}

std::string marked_ends(std::string_view text, std::span<const ByteRange> shared, const Look& look,
                        std::span<const ByteRange> moved) {
  if (text.size() <= kLongText) return marked(text, shared, look, moved);
  const std::vector<Marked> ranges = cut_at_moved(text, shared, moved);
  const std::size_t head = boundary_before(text, kShownTextEnd);
  const std::size_t tail = boundary_after(text, text.size() - kShownTextEnd);
  return with_newline(marks(text.substr(0, head), 0, ranges, look) + left_out(tail - head, look) +
                      marks(text.substr(tail), tail, ranges, look));
}

}  // namespace refrain::cli
