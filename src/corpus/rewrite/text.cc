#include "corpus/rewrite/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/json.h"
#include "corpus/formats/piece.h"
#include "corpus/formats/raw_text.h"
#include "refrain/error.h"
#include "refrain/utf8.h"

namespace refrain::corpus {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Whether text[at] is inside a character rather than its first byte.
bool inside_character(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

}  // namespace

TextRewriter::TextRewriter(MemoryBudget& budget, Sink sink)
    : sink_(std::move(sink)), joined_(budget, "the rest of a long document") {}

template <class Fn>
bool TextRewriter::for_each_part(Fn fn) const {
  std::size_t at = 0;
  for (const ByteRange& range : cuts_.ranges) {
    const std::size_t begin = range.begin - cuts_.offset;
    if (begin > at && !fn(text_.substr(at, begin - at))) return false;
    at = range.end - cuts_.offset;
  }
  return at == text_.size() || fn(text_.substr(at));
}

std::uint64_t TextRewriter::cut(std::string_view text, const TextCuts& cuts) {
  std::uint64_t at = cuts.offset;
  for (const ByteRange& range : cuts.ranges) {
    if (range.begin < at || range.end < range.begin || range.end - cuts.offset > text.size())
      throw Error(Errc::invalid_argument,
                  fmt::format("cut: [{}, {}) of {} bytes after {}; cuts must be in order and inside the text",
                              range.begin, range.end, text.size(), cuts.offset));
    at = range.end;
  }
  text_ = text;
  cuts_ = cuts;
  first_part_ = last_part_ = {};
  std::uint64_t left = 0;
  for_each_part([&](std::string_view part) {
    if (first_part_.empty()) first_part_ = part;
    last_part_ = part;
    left += part.size();
    return true;
  });
  return text.size() - left;
}

void TextRewriter::write_plain() {
  for_each_part([&](std::string_view part) {
    sink_(part);
    return true;
  });
}

void TextRewriter::write_line(std::string_view ending, bool begins_file) {
  if (begins_file) {
    std::string start;
    for_each_part([&](std::string_view part) {
      start += part.substr(0, kByteOrderMark.size() - start.size());
      return start.size() < kByteOrderMark.size();
    });
    if (start == kByteOrderMark) sink_(kByteOrderMark);
  }
  write_plain();
  if (last_part_.empty() && ending.empty()) sink_("\n");
  if (last_part_.ends_with('\r') && !ending.starts_with('\r')) sink_("\r");
}

void TextRewriter::write_json(std::string_view raw) {
  // Where the bytes of a part are stored; nullopt if they begin or end inside a character.
  const auto stored = [&](RawJsonPosition& position, std::string_view part) -> std::optional<std::string_view> {
    const auto at = static_cast<std::size_t>(part.data() - text_.data());
    const std::optional<std::uint64_t> begin = position.advance_to(at);
    const std::optional<std::uint64_t> end = begin ? position.advance_to(at + part.size()) : std::nullopt;
    if (!end || inside_character(raw, *begin) || inside_character(raw, *end)) return std::nullopt;
    return raw.substr(*begin, *end - *begin);
  };
  RawJsonPosition checked(raw);
  if (!for_each_part([&](std::string_view part) { return stored(checked, part).has_value(); }))
    return write_checked(true);
  RawJsonPosition position(raw);
  for_each_part([&](std::string_view part) {
    sink_(*stored(position, part));
    return true;
  });
}

void TextRewriter::write_utf8() {
  write_checked(false);
}

// The remaining bytes of two characters may form a valid character, so all parts are joined first.
void TextRewriter::write_checked(bool json) {
  joined_.clear();
  for_each_part([&](std::string_view part) {
    joined_.append(std::span(part.data(), part.size()));
    return true;
  });
  const std::string_view text(joined_.data(), joined_.size());
  std::size_t written = 0;
  std::string escape;
  const auto replace = [&](std::size_t at, std::string_view by) {
    sink_(text.substr(written, at - written));
    sink_(by);
    written = at + 1;
  };
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint character = decode_utf8(text, at);
    if (!character.valid())
      replace(at, kReplacement);
    else if (json && is_json_special(text[at])) {
      escape.clear();
      append_json_escape(escape, text[at]);
      replace(at, escape);
    }
    at += character.size;
  }
  sink_(text.substr(written));
  joined_.resize(0);
}

void TextRewriter::write_field(std::string_view raw, bool last, bool alone) {
  const bool quoted = raw.starts_with('"');
  const bool needs_quotes =
      first_part_.empty() ? alone : first_part_.starts_with('"') || (last && last_part_.ends_with('\r'));
  if (!quoted && !needs_quotes) return write_plain();
  sink_("\"");
  for_each_part([&](std::string_view part) {
    for (std::size_t quote = part.find('"'); quote != std::string_view::npos; quote = part.find('"')) {
      sink_(part.substr(0, quote + 1));
      sink_("\"");
      part.remove_prefix(quote + 1);
    }
    sink_(part);
    return true;
  });
  sink_("\"");
}

}  // namespace refrain::corpus
