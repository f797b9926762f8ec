#include "faces/cli/view/text.h"

#include <fmt/format.h>

#include <algorithm>

#include "faces/cli/table/numbers.h"
#include "refrain/utf8.h"

namespace refrain::cli {

namespace {

// What stands for bytes that are not shown.
std::string left_out(std::size_t bytes, const Look& look) {
  const std::string_view dots = look.utf8 ? "…" : "...";
  return fmt::format("[{} {} {}]", dots, count_of(bytes, "byte"), dots);
}

// `text`, which begins at `start` of what the ranges are about.
std::string marks(std::string_view text, std::size_t start, std::span<const ByteRange> shared, const Look& look) {
  const std::string_view before = look.colour ? "\x1b[1;4m" : "[[";
  const std::string_view after = look.colour ? "\x1b[0m" : "]]";
  const auto inside = [&](std::uint64_t place) { return place < start ? 0 : place - start; };
  std::string out;
  std::size_t at = 0;
  for (const ByteRange& range : shared) {
    const std::size_t begin = std::clamp<std::size_t>(inside(range.begin), at, text.size());
    const std::size_t end = std::clamp<std::size_t>(inside(range.end), begin, text.size());
    if (begin == end) continue;
    out += elided(text.substr(at, begin - at), look);
    out += before;
    out += elided(text.substr(begin, end - begin), look);
    out += after;
    at = end;
  }
  out += elided(text.substr(at), look);
  return out;
}

std::string ended(std::string text) {
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

std::string marked(std::string_view text, std::span<const ByteRange> shared, const Look& look) {
  return ended(marks(text, 0, shared, look));
}

std::string marked_ends(std::string_view text, std::span<const ByteRange> shared, const Look& look) {
  if (text.size() <= kLongText) return marked(text, shared, look);
  const std::size_t head = boundary_before(text, kShownTextEnd);
  const std::size_t tail = boundary_after(text, text.size() - kShownTextEnd);
  return ended(marks(text.substr(0, head), 0, shared, look) + left_out(tail - head, look) +
               marks(text.substr(tail), tail, shared, look));
}

}  // namespace refrain::cli
